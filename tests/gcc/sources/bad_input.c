// A program that calls the runtime otherwise than GCC makes programs do: $BAD_INPUT says in what.
// Linked with --wrap=GOMP_offload_register_ver and --wrap=GOMP_target_ext.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __real_GOMP_offload_register_ver(unsigned version, const void* table, int target,
                                      const void* data);
void __real_GOMP_target_ext(int device, void (*region)(void*), size_t count, void** addresses,
                            size_t* sizes, unsigned short* kinds, unsigned flags,
                            void** dependences, void** arguments);

#ifdef VARIABLES
#pragma omp declare target
int first = 1, second = 2;
#pragma omp end declare target
#else
enum { first = 1, second = 2 };
#endif

/// The host's tables: the beginnings and the ends of those of regions and of variables.
struct tables {
  char *regions, *regions_end, *variables, *variables_end;
};

static int is_wanted(const char* what) {
  const char* wanted = getenv("BAD_INPUT");
  return wanted != NULL && strcmp(wanted, what) == 0;
}

void __wrap_GOMP_offload_register_ver(unsigned version, const void* table, int target,
                                      const void* data) {
  struct tables* tables = malloc(sizeof *tables); // used as long as the process lives
  memcpy(tables, table, sizeof *tables);
  if (is_wanted("functions")) {
    tables->regions_end -= sizeof(void*);
  }
  if (is_wanted("variables")) {
    tables->variables_end -= 2 * sizeof(void*);
  }
  if (is_wanted("version")) {
    version += 0x10000 * 0x100;
  }
  __real_GOMP_offload_register_ver(version, tables, target, data);
}

static void in_no_table(void* block) {
  (void)block;
  puts("the host ran what is in no table");
}

void __wrap_GOMP_target_ext(int device, void (*region)(void*), size_t count, void** addresses,
                            size_t* sizes, unsigned short* kinds, unsigned flags,
                            void** dependences, void** arguments) {
  unsigned short unknown[] = {0x5d};
  __real_GOMP_target_ext(device, is_wanted("address") ? in_no_table : region, count, addresses,
                         sizes, is_wanted("kind") ? unknown : kinds, flags, dependences, arguments);
}

int main(void) {
  int sum = 0;
#pragma omp target map(from : sum)
  sum = first + second;
  printf("%d\n", sum);
  return 0;
}
