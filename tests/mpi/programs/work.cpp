// work SECONDS: regions on all devices in turn, from two threads, with small and large copies,
// whose results are checked. Says which devices there are, and at the end how many regions there
// were.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <omp.h>

static std::atomic<long> regions;
static std::atomic<int> wrong;

static void work(int seed, int devices, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<int> large(1 << 20);
  int* const p = large.data();
  for (int round = seed; Clock::now() < end; ++round) {
    const int device = round % devices;
    const int size = round % 4 == 0 ? 1 << 20 : 64;
    int sum = 0;
    for (int i = 0; i < size; ++i) {
      p[i] = round + i;
    }
#pragma omp target map(tofrom : p[0 : size], sum) device(device)
    for (int i = 0; i < size; ++i) {
      p[i] += 1;
      sum += i & 1;
    }
    for (int i = 0; i < size; ++i) {
      wrong += p[i] != round + i + 1;
    }
    wrong += sum != size / 2;
    ++regions;
  }
}

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 1;
  const int devices = omp_get_num_devices();
  for (int i = 0; i < devices; ++i) {
    std::printf("device %d\n", i);
  }
  std::fflush(stdout);
  if (devices == 0) {
    return 3;
  }
  std::thread other([&] { work(1, devices, seconds); });
  work(0, devices, seconds);
  other.join();
  std::printf("%ld regions, %d wrong\n", regions.load(), wrong.load());
  return wrong != 0;
}
