// What the programs of `scripts/bench --simt` share. Each is one shape of real offloaded programs:
//
//   PROGRAM SAMPLES
//
// runs each of its rows once and then SAMPLES times, on the default device, and prints for each
//
//   NAME CHECK FIRST SAMPLE…
//
// CHECK sums up the row's result, so that two devices can be compared; FIRST is the milliseconds of
// the row's first run, with whatever the device does at a kernel's first launch, and SAMPLE those
// of each later one.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

class Shape {
public:
  Shape(int count, char** words) : samples_(count > 1 ? std::atoi(words[1]) : 5) {
    // The device's own start belongs to no row.
    int on_host = 1;
#pragma omp target map(tofrom : on_host)
    on_host = omp_is_initial_device();
    if (on_host != 0) {
      std::fprintf(stderr, "shape: target regions run on the host, not on a device\n");
      std::exit(1);
    }
  }

  /// `run` is one sample; `check` is called after the last one.
  template <typename Run, typename Check>
  void row(const char* name, Run run, Check check) const {
    std::vector<double> times;
    for (int i = 0; i <= samples_; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      run();
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - begin;
      times.push_back(time.count());
    }
    std::printf("%s %.12g", name, static_cast<double>(check()));
    for (const double time : times) {
      std::printf(" %.4f", time);
    }
    std::printf("\n");
    std::fflush(stdout);
  }

private:
  int samples_;
};

/// A number of [0, 1) that depends on `seed` alone, on hosts and devices.
inline double random_of(std::uint64_t seed) {
  seed = (seed + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebU;
  seed ^= seed >> 31;
  return static_cast<double>(seed >> 11) * 0x1p-53;
}

/// Three arrays of doubles, each of one value.
struct ThreeArrays {
  explicit ThreeArrays(int size) : storage{Array(size, 0.1), Array(size, 0.2), Array(size, 0.3)} {}

  using Array = std::vector<double>;
  Array storage[3];
  double* a = storage[0].data();
  double* b = storage[1].data();
  double* c = storage[2].data();
};

inline double sum(const double* values, long count) {
  double all = 0;
  for (long i = 0; i < count; ++i) {
    all += values[i];
  }
  return all;
}
