// regions COUNT THREADS: so many regions in all, in so many threads, with data that each maps; a
// word about memory. It is what a tool that watches for long sees.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <omp.h>

/// The bytes of memory that the process has, in KiB.
static long resident() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") {
      long kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  }
  return 0;
}

static long run(int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) {
    int value = i;
#pragma omp target map(tofrom : value)
    value += omp_is_initial_device() ? 0 : 1;
    sum += value - i;
  }
  return sum;
}

static bool run_in_threads(int count, int threads) {
  std::vector<long> sums(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&sums, t, count, threads] { sums[t] = run(count / threads); });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
  for (const long sum : sums) {
    if (sum != count / threads) {
      return false;
    }
  }
  return true;
}

int main(int, char** arguments) {
  const int count = std::atoi(arguments[1]);
  const int threads = std::atoi(arguments[2]);
  if (!run_in_threads(count / 10, threads)) { // memory that is kept for the next use is there then
    return 1;
  }
  const long before = resident();
  if (!run_in_threads(count - count / 10, threads)) {
    return 1;
  }
  std::printf("grown %ld KiB\n", resident() - before);
  return 0;
}
