// Shared libraries with device code come and go, in two threads at once, while other threads launch
// kernels of the program. Arguments: how often to load each, two libraries.
#include "check.h"

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

inline int shared_inline_kernel() {
  int x = 0;
#pragma omp target map(from : x)
  x = omp_is_initial_device() ? -1 : 17;
  return x;
}

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static constexpr bool kSanitized = true;
#else
static constexpr bool kSanitized = false;
#endif

/// Resident memory of this process in KiB.
static long resident() {
  FILE* file = fopen("/proc/self/statm", "r");
  long total = 0;
  long pages = 0;
  CHECK(file != nullptr && fscanf(file, "%ld %ld", &total, &pages) == 2);
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static int open_descriptors() {
  int count = 0;
  for (int i = 0; i < 256; ++i) {
    count += access(("/proc/self/fd/" + std::to_string(i)).c_str(), F_OK) == 0;
  }
  return count;
}

static int mappings() {
  FILE* file = fopen("/proc/self/maps", "r");
  int lines = 0;
  for (int c = 0; (c = fgetc(file)) != EOF;) {
    lines += c == '\n';
  }
  fclose(file);
  return lines;
}

static std::atomic<long> launches{0};

static void load_use_unload(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  auto* call = reinterpret_cast<int (*)(int)>(dlsym(library, "library_call"));
  auto* map = reinterpret_cast<void (*)(int*)>(dlsym(library, "library_map"));
  CHECK(call != nullptr && map != nullptr);
  // The constructor made the first call; the device's state begins anew with every load.
  CHECK_EQUAL(call(5), 1002 + 5 + 17);
  int object[1] = {7};
  map(object);
  // Not one load without a launch beside it.
  for (const long before = launches; launches == before;) {
    std::this_thread::yield();
  }
  CHECK_EQUAL(dlclose(library), 0);

  CHECK(omp_target_is_present(object, omp_get_default_device()));
  object[0] = 8;
#pragma omp target exit data map(from : object[0 : 1])
  CHECK(!omp_target_is_present(object, omp_get_default_device()));
}

/// Loads each library `rounds` times, each in a thread of its own.
static void load_both(char** libraries, int rounds) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([=] {
      for (int round = 0; round < rounds; ++round) {
        load_use_unload(libraries[i]);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

int main(int argc, char** argv) {
  CHECK(argc == 4);
  const int rounds = atoi(argv[1]);
  // libomp initialises itself under a lock of its own and asks the dynamic loader meanwhile, so its
  // first use must not coincide with a library constructor that uses it too.
  check_runs_on_device();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        CHECK_EQUAL(shared_inline_kernel(), 17);
        int x = 1;
#pragma omp target data map(tofrom : x)
        {
#pragma omp target map(tofrom : x)
          x += 1;
        }
        CHECK_EQUAL(x, 2);
        ++launches;
      }
    });
  }
  load_both(argv + 2, rounds / 10 + 1);
  const long memory = resident();
  const int descriptors = open_descriptors();
  const int maps = mappings();
  load_both(argv + 2, rounds);
  stop = true;
  for (auto& thread : threads) {
    thread.join();
  }
  // Threads that were started meanwhile leave stacks behind for later ones.
  CHECK(open_descriptors() <= descriptors);
  CHECK(mappings() <= maps + 8);
  // A sanitizer keeps freed memory and shadows of memory for itself; it finds leaks another way.
  CHECK(kSanitized || resident() - memory < 2048);
  CHECK(launches >= 2L * rounds);
  printf("2 * %d loads, %ld launches beside them, memory grew by %ld KiB\n", rounds,
         launches.load(), resident() - memory);
}
