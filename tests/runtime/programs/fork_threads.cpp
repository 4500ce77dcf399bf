// A process forks while other threads use its device, as a library may that starts a program. The
// child calls exit(), which takes no lock that one of those threads had.
#include "check.h"

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

static std::atomic<bool> done{false};

/// Nothing that counts as a region.
static void use_the_device() {
  std::vector<int> values(64);
  int* data = values.data();
  while (!done.load()) {
#pragma omp target enter data map(to : data[0 : 64])
    omp_target_free(omp_target_alloc(64, 0), 0);
#pragma omp target exit data map(release : data[0 : 64])
  }
}

int main(int argc, char** argv) {
  const int forks = argc > 1 ? std::atoi(argv[1]) : 100;
  check_runs_on_device();
  std::vector<std::thread> threads(4);
  for (std::thread& thread : threads) {
    thread = std::thread(use_the_device);
  }
  for (int i = 0; i < forks; ++i) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      alarm(20); // what hangs ends by a signal
      std::exit(0);
    }
    int status = -1;
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
  }
  done.store(true);
  for (std::thread& thread : threads) {
    thread.join();
  }
  printf("%d children have ended\n", forks);
}
