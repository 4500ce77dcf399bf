// Kernels of independent target tasks run at the same time: as many as the argument says wait for
// each other on the device.
#include "check.h"

#include <unistd.h>

#pragma omp begin declare target
int arrived = 0;
#pragma omp end declare target

/// On the device: true if `count` have arrived within a minute.
static int all_arrive(int count) {
  __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 60000; ++i) {
    if (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) == count) {
      return 1;
    }
    usleep(1000);
  }
  return 0;
}
#pragma omp declare target to(all_arrive)

int main(int argc, char** argv) {
  check_runs_on_device();
  const int count = argc > 1 ? atoi(argv[1]) : 2;
  CHECK(count > 0 && count <= 64);
  int met[64] = {};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < count; ++i) {
#pragma omp target nowait map(from : met[i : 1]) firstprivate(count)
      met[i] = all_arrive(count);
    }
  }
  for (int i = 0; i < count; ++i) {
    CHECK_EQUAL(met[i], 1);
  }
}
