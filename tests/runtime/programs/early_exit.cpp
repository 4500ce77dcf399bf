// exit() while target tasks are not complete: see exit_test.py.
#include <omp.h>

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
  if (name == "nothing pending") {
    return 3;
  }
  fprintf(stderr, "no such case: '%s'\n", name.c_str());
  return 2;
}
