// A device image for tests: what a linker makes of device code for a CPU, without a compiler's
// offloading. Kernels take pointer-sized parameters.
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const volatile int __gantry_device_number = -1;

EXPORTED int loads = 0;
EXPORTED long table[4] = {1, 2, 3, 4};

__attribute__((constructor)) static void count_load(void) {
  ++loads;
}

EXPORTED void nothing(void) {}

EXPORTED void add(int* object, uintptr_t value) {
  *object += (int)value;
}

// Clang 19 and 22: a parameter of the device's own comes first.
EXPORTED void add_with_environment(void* environment, int* object, uintptr_t value) {
  (void)environment;
  *object += (int)value;
}

// As gantry/cpu_image.h has them.
EXPORTED void* __omp_offloading_fptr_map_p = 0;
EXPORTED uint64_t __omp_offloading_fptr_map_size = 0;

// What lies past the first pieces of a copy is seen too.
EXPORTED unsigned char large[300001];

// Waits for *gate, and copies *from to *to.
EXPORTED void copy_when_open(int* gate, int* to, const int* from) {
  while (__atomic_load_n(gate, __ATOMIC_ACQUIRE) == 0) {
  }
  *to = *from;
}

// Of the C library of the process that loads the image.
__attribute__((weak)) int getchar(void);
__attribute__((weak)) void exit(int status);

EXPORTED void read_input(int* begun) {
  __atomic_store_n(begun, 1, __ATOMIC_RELEASE);
  (void)getchar();
}

EXPORTED void end_process(uintptr_t status) {
  exit((int)status);
}

// Of an OpenMP runtime, if the process has one.
__attribute__((weak)) int omp_get_thread_num(void);

EXPORTED void thread_number(int* number) {
  *number = omp_get_thread_num();
}

EXPORTED void device_number(int* number) {
  *number = __gantry_device_number;
}

EXPORTED void add_arrays(void* environment, int* a, int* b, int* c, int* d, int* e, int* f, int* g,
                         int* h) {
  (void)environment;
  *h = *a + *b + *c + *d + *e + *f + *g;
}

#define FIVE(x) uintptr_t x##0, uintptr_t x##1, uintptr_t x##2, uintptr_t x##3, uintptr_t x##4
#define SUM(x) (x##0 + 2 * x##1 + 3 * x##2 + 4 * x##3 + 5 * x##4)

EXPORTED void sum_of_24(uintptr_t* sum, FIVE(a), FIVE(b), FIVE(c), FIVE(d), uintptr_t e0,
                        uintptr_t e1, uintptr_t e2) {
  *sum = SUM(a) + SUM(b) + SUM(c) + SUM(d) + e0 + 2 * e1 + 3 * e2;
}

EXPORTED void sum_of_26(uintptr_t* sum, FIVE(a), FIVE(b), FIVE(c), FIVE(d), FIVE(e)) {
  *sum = SUM(a) + SUM(b) + SUM(c) + SUM(d) + SUM(e);
}

// A kernel of Flang's, which is called once for each team, and what is in the image with it.

struct KernelEnvironment {
  unsigned char generic, nested, mode;
  int least_threads, most_threads, least_teams, most_teams, reduction_size, reduction_length;
  void *place, *dynamic;
};
// The name is LLVM's: the kernel's, and what it is.
// NOLINTNEXTLINE(readability-identifier-naming)
EXPORTED const struct KernelEnvironment count_teams_kernel_environment = {.most_threads = 7};

static unsigned teams_asked, limit_asked;

EXPORTED void __gantry_run_league(void (*team)(void*), void* context, unsigned teams,
                                  unsigned thread_limit) {
  teams_asked = teams;
  limit_asked = thread_limit;
  for (unsigned i = 0; i < (teams == 0 ? 1 : teams); ++i) {
    team(context);
  }
}

EXPORTED void count_teams(int* calls, unsigned* teams, unsigned* thread_limit) {
  ++*calls;
  *teams = teams_asked;
  *thread_limit = limit_asked;
}
