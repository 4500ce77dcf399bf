// What OpenMP by Gantry costs on a GPU against the driver alone. Each row is the same work done
// both ways, in turns, so that both see the same machine; figures are medians.
//
//   table BARE.ptx [--quick]      a row a line, as Markdown
//
// The driver is libcuda.so.1, or what GPU_TABLE_DRIVER names.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gantry/cuda_driver.h>
#include <omp.h>

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "table: %s\n", what);
  std::exit(1);
}

#define CALLS(X)                                                                                   \
  X(cuInit)                                                                                        \
  X(cuDevicePrimaryCtxRetain)                                                                      \
  X(cuCtxSetCurrent)                                                                               \
  X(cuCtxSynchronize)                                                                              \
  X(cuModuleLoadData)                                                                              \
  X(cuModuleGetFunction)                                                                           \
  X(cuStreamCreate)                                                                                \
  X(cuStreamSynchronize)                                                                           \
  X(cuLaunchKernel)                                                                                \
  X(cuMemHostAlloc)                                                                                \
  X(cuMemcpyHtoD_v2)                                                                               \
  X(cuMemcpyDtoH_v2)                                                                               \
  X(cuMemcpyDtoD_v2)

struct Driver {
#define POINTER(name) decltype(&::name) name;
  CALLS(POINTER)
};

Driver open_driver() {
  const char* const path = std::getenv("GPU_TABLE_DRIVER");
  void* const library = dlopen(path != nullptr ? path : "libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    fail(dlerror());
  }
  Driver driver = {};
#define LOOK_UP(name) driver.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));
  CALLS(LOOK_UP)
  return driver;
}

void check(CUresult result) {
  if (result != CUDA_SUCCESS) {
    fail(("the driver says error " + std::to_string(static_cast<int>(result))).c_str());
  }
}

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
  Table(const char* ptx, bool quick) : quick_(quick), driver_(open_driver()) {
    int on_host = 1;
#pragma omp target map(from : on_host)
    on_host = omp_is_initial_device();
    if (on_host != 0) {
      fail("target regions run on the host");
    }
    check(driver_.cuInit(0));
    CUcontext context = nullptr;
    check(driver_.cuDevicePrimaryCtxRetain(&context, 0));
    check(driver_.cuCtxSetCurrent(context));
    std::ifstream file(ptx);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    CUmodule module = nullptr;
    check(driver_.cuModuleLoadData(&module, text.c_str()));
    check(driver_.cuModuleGetFunction(&empty_, module, "empty"));
    check(driver_.cuModuleGetFunction(&multiply_, module, "multiply"));
    check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
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
            check(driver_.cuLaunchKernel(empty_, 1, 1, 1, 128, 1, 1, 0, stream_, nullptr, nullptr));
            check(driver_.cuStreamSynchronize(stream_));
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
    CUdeviceptr device = 0;
#pragma omp target data use_device_ptr(memory)
    device = reinterpret_cast<CUdeviceptr>(memory);
    rate_row((name + kind + ", to the device").c_str(), "GB/s", gigabytes,
             alternate(
                 rounds,
                 [&] {
#pragma omp target update to(memory[0 : size])
                 },
                 [&] { check(driver_.cuMemcpyHtoD_v2(device, memory, size)); }));
    rate_row((name + kind + ", from the device").c_str(), "GB/s", gigabytes,
             alternate(
                 rounds,
                 [&] {
#pragma omp target update from(memory[0 : size])
                 },
                 [&] { check(driver_.cuMemcpyDtoH_v2(memory, device, size)); }));
#pragma omp target exit data map(delete : memory[0 : size])
  }

  void copies() {
    const std::size_t size = std::size_t{1} << (quick_ ? 20 : 30);
    std::vector<char> pageable(size, 1);
    copy("pageable memory", pageable.data(), size);
    void* pinned = nullptr;
    check(driver_.cuMemHostAlloc(&pinned, size, 0));
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
        [&] {
          check(driver_.cuMemcpyDtoD_v2(reinterpret_cast<CUdeviceptr>(a),
                                        reinterpret_cast<CUdeviceptr>(b), sizeof(double) * n));
          check(driver_.cuCtxSynchronize());
        });
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
    void* arguments[] = {&c, &a, &b, &n};
    constexpr unsigned kThreads = 128;
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
        [&] {
          check(driver_.cuLaunchKernel(multiply_,
                                       static_cast<unsigned>((n * n + kThreads - 1) / kThreads), 1,
                                       1, kThreads, 1, 1, 0, stream_, arguments, nullptr));
          check(driver_.cuStreamSynchronize(stream_));
        });
    rate_row("matrix product, the same loops in CUDA's way", "GFLOP/s",
             2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
             times);
    for (double* const matrix : {a, b, c}) {
      omp_target_free(matrix, 0);
    }
  }

  bool quick_;
  Driver driver_;
  CUfunction empty_ = nullptr, multiply_ = nullptr;
  CUstream stream_ = nullptr;
};

} // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    fail("usage: table BARE.ptx [--quick]");
  }
  Table(arguments[1], count > 2 && std::strcmp(arguments[2], "--quick") == 0).print();
}
