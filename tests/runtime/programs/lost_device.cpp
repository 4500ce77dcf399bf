// A device is lost by a region of one thread while another is inside dlopen, in a constructor with
// regions of its own: lost_device LIBRARY. Both report it, and the process ends.
#include "check.h"

#include <chrono>
#include <thread>

#include <dlfcn.h>

int main(int, char** argv) {
  check_runs_on_device();
  std::thread loader([&] { dlopen(argv[1], RTLD_NOW); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300)); // until the constructor is at work
  int* nowhere = nullptr;
#pragma omp target firstprivate(nowhere)
  *static_cast<volatile int*>(nowhere) = 1;
  loader.join();
}
