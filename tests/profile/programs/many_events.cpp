// Short regions of four threads: many_events REGIONS of each.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const int regions = argc > 1 ? std::atoi(argv[1]) : 1;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([=] {
      double x = 0;
      double y[8] = {};
      for (int i = 0; i < regions; ++i) {
#pragma omp target map(tofrom : x)
        x += 1;
        if (i % 16 == 0) {
#pragma omp target map(tofrom : y)
          for (int j = 0; j < 8; ++j) {
            y[j] += j;
          }
        }
      }
      if (x != regions) {
        std::abort();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}
