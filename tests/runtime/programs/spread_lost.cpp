// Regions without a device clause on three devices, of which the last is killed at half-time.
#include <omp.h>

#include "check_macros.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

int main() {
  int total = 0;
  for (int i = 0; i < 12; ++i) {
    int device = -1;
#pragma omp target map(from : device) map(tofrom : total)
    {
      device = omp_get_device_num();
      total += 1;
    }
    printf("%d ", device);
    if (i == 5) {
      int process = -1;
#pragma omp target map(from : process) device(2)
      process = getpid();
      CHECK(process != getpid());
      kill(process, SIGKILL);
      siginfo_t ended;
      waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT); // it may take a while
    }
  }
  printf("total %d\n", total);
}
