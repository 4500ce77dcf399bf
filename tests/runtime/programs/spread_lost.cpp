// Regions without a device clause on three devices, of which the last is killed at half-time: from
// outside, or with an argument by a region of its own.
#include <omp.h>

#include "check_macros.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char**) {
  const int killed_by_itself = argc > 1;
  int total = 0;
  for (int i = 0; i < 12; ++i) {
    int device = -1;
#pragma omp target map(from : device) map(tofrom : total) firstprivate(i)
    {
      device = omp_get_device_num();
      if (killed_by_itself != 0 && i == 8 && device == 2) {
        __builtin_trap();
      }
      total += 1;
    }
    printf("%d ", device);
#ifdef __clang__ // GCC compiles for NVIDIA's GPUs too, which have no getpid
    if (i == 5 && killed_by_itself == 0) {
      int process = -1;
#pragma omp target map(from : process) device(2)
      process = getpid();
      CHECK(process != getpid());
      kill(process, SIGKILL);
      siginfo_t ended;
      waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT); // it may take a while
    }
#endif
  }
  printf("total %d\n", total);
}
