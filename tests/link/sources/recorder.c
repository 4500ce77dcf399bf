// Preloaded into programs under test: writes a line of JSON to $RECORDER_FILE for each descriptor
// that is registered or unregistered, and passes the call on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct image {
  const char* begin;
  const char* end;
  const char* entries_begin;
  const char* entries_end;
};

struct descriptor {
  int32_t count;
  const struct image* images;
  const char* entries_begin;
  const char* entries_end;
};

static void print_entries(FILE* file, const char* entry, const char* end) {
  // The first eight bytes are a null reserved word in the current layout, an address in the other.
  int64_t first = 0;
  if (entry < end) {
    memcpy(&first, entry, sizeof first);
  }
  const int current = first == 0;
  fprintf(file, "\"layout\": \"%s\", \"entries\": [", current ? "current" : "legacy");
  for (const char* separator = ""; entry < end; entry += current ? 56 : 32, separator = ", ") {
    const char* name = NULL;
    memcpy(&name, entry + (current ? 24 : 8), sizeof name);
    fprintf(file, "%s\"%s\"", separator, name);
  }
  fprintf(file, "]");
}

static void record(const char* event, const struct descriptor* descriptor) {
  const char* path = getenv("RECORDER_FILE");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) {
    return;
  }
  fprintf(file, "{\"event\": \"%s\", \"images\": [", event);
  for (int32_t i = 0; i < descriptor->count; ++i) {
    const struct image* image = &descriptor->images[i];
    fprintf(file, "%s{\"size\": %td, \"elf\": %s, \"aligned\": %s, \"same_entries\": %s}",
            i == 0 ? "" : ", ", image->end - image->begin,
            memcmp(image->begin, "\177ELF", 4) == 0 ? "true" : "false",
            (uintptr_t)image->begin % 8 == 0 ? "true" : "false",
            image->entries_begin == descriptor->entries_begin &&
                    image->entries_end == descriptor->entries_end
                ? "true"
                : "false");
  }
  fprintf(file, "], ");
  print_entries(file, descriptor->entries_begin, descriptor->entries_end);
  fprintf(file, "}\n");
  fclose(file);
}

static void forward(const char* name, struct descriptor* descriptor) {
  void (*next)(struct descriptor*) = (void (*)(struct descriptor*))dlsym(RTLD_NEXT, name);
  if (next == NULL) { // the runtime came with a library that was loaded by dlopen
    void* runtime = dlopen("libgantry.so.1", RTLD_NOW | RTLD_NOLOAD);
    next = runtime == NULL ? NULL : (void (*)(struct descriptor*))dlsym(runtime, name);
  }
  if (next != NULL) {
    next(descriptor);
  }
}

void __tgt_register_lib(struct descriptor* descriptor) {
  record("register", descriptor);
  forward("__tgt_register_lib", descriptor);
}

void __tgt_unregister_lib(struct descriptor* descriptor) {
  record("unregister", descriptor);
  forward("__tgt_unregister_lib", descriptor);
}
