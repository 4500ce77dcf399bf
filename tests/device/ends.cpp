// Threads of the program launch kernels until these are worth compiling; the process ends while
// that is under way. The argument: milliseconds to wait before the end.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main(int count, char** words) {
  constexpr int kThreads = 8, kLaunches = 30, kSize = 64;
  std::vector<int> wrong(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int launch = 0; launch < kLaunches; ++launch) {
        int values[kSize];
#pragma omp target teams distribute parallel for map(from : values)
        for (int i = 0; i < kSize; ++i) {
          values[i] = i * thread + launch;
        }
        for (int i = 0; i < kSize; ++i) {
          wrong[thread] += values[i] != i * thread + launch ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const int each : wrong) {
    if (each != 0) {
      std::puts("results are wrong");
      return 1;
    }
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(count > 1 ? std::atoi(words[1]) : 0));
  return 0;
}
