// exit() while target tasks are not complete: see exit_test.py.
#include "check.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

static constexpr int kRegions = 40;
static int values[kRegions];

static void generate() {
  for (int k = 0; k < kRegions; ++k) {
#pragma omp target nowait map(tofrom : values[k : 1])
    {
      for (volatile int i = 0; i < 1000000; i = i + 1) {
      }
      values[k] = k;
      printf("%s %d\n", omp_is_initial_device() ? "host" : "device", k);
    }
  }
}

static void one_region() {
  int value = 0;
#pragma omp target map(tofrom : value)
  value = omp_is_initial_device() ? 0 : 1;
  CHECK_EQUAL(value, 1);
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "end of main") {
    generate();
    return 3;
  }
  if (name == "exit") {
    generate();
    exit(3);
  }
  if (name == "another thread") {
    generate();
    std::thread([] { exit(3); }).join();
  }
  if (name == "parallel region") {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
      generate();
      exit(3);
    }
  }
  if (name == "task") {
    generate();
#pragma omp task
    exit(3);
  }
  if (name == "thread that generates") {
    std::thread([] {
      generate();
      exit(3);
    }).join();
  }
  if (name == "beside a thread that goes on") {
    std::thread([] {
      for (;;) {
        one_region();
      }
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return 3;
  }
  if (name == "leak in a thread") {
#pragma omp target enter data map(to : values)
    std::thread([] { exit(3); }).join();
  }
  if (name == "leak in a parallel region") {
#pragma omp target enter data map(to : values)
#pragma omp parallel num_threads(2)
#pragma omp single
    exit(3);
  }
  if (name == "nothing pending") {
    return 3;
  }
  fprintf(stderr, "no such case: '%s'\n", name.c_str());
  return 2;
}
