// What OpenMP by Gantry costs on a GPU against the driver alone. Each row is the same work done
// both ways, in turns, so that both see the same machine; figures are medians.
//
//   table [--quick] BARE…         a row a line, as Markdown
//
// BARE is what bare.cpp has become: PTX, or a code object for each of several of AMD's GPUs.
#include "bare_device.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <omp.h>

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "table: %s\n", what);
  std::exit(1);
}

namespace {

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Times {
  double ours, bare; ///< seconds
};

Times alternate(int rounds, const std::function<void()>& ours, const std::function<void()>& bare) {
  ours();
  bare();
  std::vector<double> first, second;
  for (int i = 0; i < rounds; ++i) {
    first.push_back(seconds(ours));
    second.push_back(seconds(bare));
  }
  return {median(first), median(second)};
}

/// `share`: what the row's goal is about.
void row(const char* what, const char* unit, double ours, double bare, double share) {
  std::printf("| %s | %.4g %s | %.4g %s | %.2f |\n", what, ours, unit, bare, unit, share);
  std::fflush(stdout);
}

void rate_row(const char* what, const char* unit, double amount, const Times& times) {
  row(what, unit, amount / times.ours, amount / times.bare, times.bare / times.ours);
}

class Table {
public:
  Table(int count, char** files, bool quick) : quick_(quick) {
    int on_host = 1;
#pragma omp target map(from : on_host)
    on_host = omp_is_initial_device();
    if (on_host != 0) {
      fail("target regions run on the host");
    }
    bare_ = BareDevice::open(count, files);
  }

  void print() {
    std::puts("| work | Gantry | driver | share |\n| --- | --- | --- | --- |");
    empty_region();
    copies();
    triad();
    product();
  }

private:
  void empty_region() {
    constexpr int kCalls = 100;
    const Times times = alternate(
        quick_ ? 3 : 51,
        [] {
          for (int i = 0; i < kCalls; ++i) {
#pragma omp target
            {
            }
          }
        },
        [&] {
          for (int i = 0; i < kCalls; ++i) {
            bare_->launch_empty();
          }
        });
    constexpr double kMicroseconds = 1e6 / kCalls;
    row("empty target region, launch and wait", "us", times.ours * kMicroseconds,
        times.bare * kMicroseconds, times.ours / times.bare);
  }

  void copy(const char* kind, char* memory, std::size_t size) {
    const double gigabytes = static_cast<double>(size) / 1e9;
    const int rounds = quick_ ? 3 : 11;
    const std::string name = quick_ ? "1 MiB, " : "1 GiB, ";
#pragma omp target enter data map(alloc : memory[0 : size])
    void* device = nullptr;
#pragma omp target data use_device_ptr(memory)
    device = memory;
    rate_row((name + kind + ", to the device").c_str(), "GB/s", gigabytes,
             alternate(
                 rounds,
                 [&] {
#pragma omp target update to(memory[0 : size])
                 },
                 [&] { bare_->copy_to(device, memory, size); }));
    rate_row((name + kind + ", from the device").c_str(), "GB/s", gigabytes,
             alternate(
                 rounds,
                 [&] {
#pragma omp target update from(memory[0 : size])
                 },
                 [&] { bare_->copy_from(memory, device, size); }));
#pragma omp target exit data map(delete : memory[0 : size])
  }

  void copies() {
    const std::size_t size = std::size_t{1} << (quick_ ? 20 : 30);
    std::vector<char> pageable(size, 1);
    copy("pageable memory", pageable.data(), size);
    void* const pinned = bare_->pinned(size);
    std::memset(pinned, 1, size);
    copy("pinned memory", static_cast<char*>(pinned), size);
  }

  void triad() {
    const long n = 1L << (quick_ ? 16 : 27);
    auto* const a = static_cast<double*>(omp_target_alloc(sizeof(double) * n, 0));
    auto* const b = static_cast<double*>(omp_target_alloc(sizeof(double) * n, 0));
    auto* const c = static_cast<double*>(omp_target_alloc(sizeof(double) * n, 0));
    if (c == nullptr) {
      fail("there is not enough device memory for the triad");
    }
#pragma omp target teams distribute parallel for is_device_ptr(a, b, c)
    for (long i = 0; i < n; ++i) {
      a[i] = 0;
      b[i] = 1;
      c[i] = 2;
    }
    const double bytes = sizeof(double) * static_cast<double>(n);
    const Times times = alternate(
        quick_ ? 3 : 21,
        [&] {
#pragma omp target teams distribute parallel for is_device_ptr(a, b, c)
          for (long i = 0; i < n; ++i) {
            a[i] = b[i] + 0.4 * c[i];
          }
        },
        [&] { bare_->copy_inside(a, b, sizeof(double) * n); });
    // A triad moves three arrays and a copy two.
    const double ours = 3 * bytes / times.ours / 1e9, bare = 2 * bytes / times.bare / 1e9;
    row("triad, bandwidth of a copy", "GB/s", ours, bare, ours / bare);
    for (double* const array : {a, b, c}) {
      omp_target_free(array, 0);
    }
  }

  void product() {
    long n = quick_ ? 64 : 2048;
    const std::size_t bytes = sizeof(double) * n * n;
    auto* a = static_cast<double*>(omp_target_alloc(bytes, 0));
    auto* b = static_cast<double*>(omp_target_alloc(bytes, 0));
    auto* c = static_cast<double*>(omp_target_alloc(bytes, 0));
#pragma omp target teams distribute parallel for is_device_ptr(a, b)
    for (long i = 0; i < n * n; ++i) {
      a[i] = static_cast<double>(i % 7);
      b[i] = static_cast<double>(i % 5);
    }
    const Times times = alternate(
        quick_ ? 3 : 11,
        [&] {
#pragma omp target teams distribute parallel for collapse(2) is_device_ptr(a, b, c)
          for (long i = 0; i < n; ++i) {
            for (long j = 0; j < n; ++j) {
              double sum = 0;
              for (long k = 0; k < n; ++k) {
                sum += a[i * n + k] * b[k * n + j];
              }
              c[i * n + j] = sum;
            }
          }
        },
        [&] { bare_->multiply(c, a, b, n); });
    rate_row("matrix product, the same loops as a bare kernel", "GFLOP/s",
             2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
             times);
    for (double* const matrix : {a, b, c}) {
      omp_target_free(matrix, 0);
    }
  }

  bool quick_;
  std::unique_ptr<BareDevice> bare_;
};

} // namespace

int main(int count, char** arguments) {
  const bool quick = count > 1 && std::strcmp(arguments[1], "--quick") == 0;
  const int first = quick ? 2 : 1;
  if (count <= first) {
    fail("usage: table [--quick] BARE…");
  }
  Table(count - first, arguments + first, quick).print();
}
