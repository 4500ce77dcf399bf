// Kernels on the PTX executor against the same kernels as C++, in one process and in alternation.
//
//   simt LIBCUDA KERNELS.ptx SAMPLES [KERNEL]
//
// prints "name executor native" in microseconds a sample, and "name microseconds" for what has no
// counterpart.
#include "gantry/cuda_driver.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Api {
#define GANTRY_CUDA_POINTER(result, name, parameters) decltype(&::name) name = nullptr;
  GANTRY_CUDA_ENTRIES(GANTRY_CUDA_POINTER)
#undef GANTRY_CUDA_POINTER
} cuda;

void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) {
    std::fprintf(stderr, "simt: %s: error %d\n", what, static_cast<int>(result));
    std::exit(1);
  }
}

void open_driver(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "simt: %s\n", dlerror());
    std::exit(1);
  }
#define GANTRY_CUDA_FIND(result, name, parameters)                                                 \
  cuda.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));
  GANTRY_CUDA_ENTRIES(GANTRY_CUDA_FIND)
#undef GANTRY_CUDA_FIND
}

// All cores: this thread and others that wait for their part of a loop.
class Cores {
public:
  Cores() : count_(std::max(1U, std::thread::hardware_concurrency())) {
    for (unsigned i = 1; i < count_; ++i) {
      std::thread([this, i] { serve(i); }).detach();
    }
  }
  // Calls work(begin, end) on each core for its share of `size`.
  void run(int size, const std::function<void(int, int)>& work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      size_ = size;
      running_ = count_ - 1;
      ++round_;
    }
    begin_.notify_all();
    part(0);
    std::unique_lock lock(mutex_);
    end_.wait(lock, [&] { return running_ == 0; });
  }

private:
  void part(unsigned index) {
    const auto at = [&](unsigned i) {
      return static_cast<int>(static_cast<long>(size_) * i / count_);
    };
    (*work_)(at(index), at(index + 1));
  }
  void serve(unsigned index) {
    unsigned seen = 0;
    for (;;) {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      lock.unlock();
      part(index);
      lock.lock();
      if (--running_ == 0) {
        end_.notify_one();
      }
    }
  }

  unsigned count_;
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const std::function<void(int, int)>* work_ = nullptr;
  int size_ = 0;
  unsigned round_ = 0, running_ = 0;
};

double microseconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

CUdeviceptr device_copy(const std::vector<float>& values) {
  CUdeviceptr address = 0;
  check(cuda.cuMemAlloc_v2(&address, values.size() * sizeof(float)), "cuMemAlloc");
  check(cuda.cuMemcpyHtoD_v2(address, values.data(), values.size() * sizeof(float)),
        "cuMemcpyHtoD");
  return address;
}

constexpr int kStream = 1 << 24;
constexpr int kMatrix = 512;
constexpr int kTile = 32;
constexpr int kWidth = 1024, kHeight = 512, kLimit = 256;

void multiply_tiles(float* c, const float* a, const float* b, int first, int last) {
  for (int row = first; row < last; ++row) {
    for (int column = 0; column < kMatrix / kTile; ++column) {
      float sum[kTile][kTile] = {};
      float tile_a[kTile][kTile];
      float tile_b[kTile][kTile];
      for (int tile = 0; tile < kMatrix / kTile; ++tile) {
        for (int y = 0; y < kTile; ++y) {
          for (int x = 0; x < kTile; ++x) {
            tile_a[y][x] = a[(row * kTile + y) * kMatrix + tile * kTile + x];
            tile_b[y][x] = b[(tile * kTile + y) * kMatrix + column * kTile + x];
          }
        }
        for (int y = 0; y < kTile; ++y) {
          for (int k = 0; k < kTile; ++k) {
            for (int x = 0; x < kTile; ++x) {
              sum[y][x] += tile_a[y][k] * tile_b[k][x];
            }
          }
        }
      }
      for (int y = 0; y < kTile; ++y) {
        for (int x = 0; x < kTile; ++x) {
          c[(row * kTile + y) * kMatrix + column * kTile + x] = sum[y][x];
        }
      }
    }
  }
}

void mandelbrot_rows(int* passes, int first, int last) {
  for (int y = first; y < last; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const float real = -2.0f + 3.0f * static_cast<float>(x) / kWidth;
      const float imaginary = -1.0f + 2.0f * static_cast<float>(y) / kHeight;
      float a = 0;
      float b = 0;
      int pass = 0;
      while (pass < kLimit && a * a + b * b < 4) {
        const float next = a * a - b * b + real;
        b = 2 * a * b + imaginary;
        a = next;
        ++pass;
      }
      passes[y * kWidth + x] = pass;
    }
  }
}

} // namespace

int main(int count, char** words) {
  if (count != 4 && count != 5) {
    std::fprintf(stderr, "usage: simt LIBCUDA KERNELS.ptx SAMPLES [KERNEL]\n");
    return 2;
  }
  open_driver(words[1]);
  std::ifstream file(words[2]);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const int samples = std::atoi(words[3]);
  check(cuda.cuInit(0), "cuInit");
  CUcontext context = nullptr;
  check(cuda.cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  CUmodule module = nullptr;
  check(cuda.cuModuleLoadData(&module, text.c_str()), "cuModuleLoadData");
  const auto function = [&](const char* name) {
    CUfunction found = nullptr;
    check(cuda.cuModuleGetFunction(&found, module, name), name);
    return found;
  };
  const auto launch = [&](CUfunction kernel, unsigned x, unsigned y, unsigned threads_x,
                          unsigned threads_y, std::vector<void*> parameters) {
    check(cuda.cuLaunchKernel(kernel, x, y, 1, threads_x, threads_y, 1, 0, nullptr,
                              parameters.data(), nullptr),
          "cuLaunchKernel");
    check(cuda.cuStreamSynchronize(nullptr), "cuStreamSynchronize");
  };

  Cores& cores = *new Cores; // its threads wait until the process ends
  std::vector<float> a(kStream);
  std::vector<float> b(kStream);
  std::vector<float> c(kStream);
  for (int i = 0; i < kStream; ++i) {
    b[i] = static_cast<float>(i % 1000);
    c[i] = static_cast<float>(i % 77);
  }
  CUdeviceptr on_a = device_copy(a);
  CUdeviceptr on_b = device_copy(b);
  CUdeviceptr on_c = device_copy(c);
  std::vector<int> passes(static_cast<std::size_t>(kWidth) * kHeight);
  int stream = kStream;
  int matrix = kMatrix;
  int width = kWidth;
  int height = kHeight;
  int limit = kLimit;
  float factor = 2;
  constexpr unsigned kSums = 64;
  std::vector<float> sums(64);

  struct Case {
    const char* name;
    std::function<void()> executor, native;
  };
  CUfunction empty = function("empty");
  const Case cases[] = {
      {"copy",
       [&, kernel = function("copy")] {
         launch(kernel, kStream / 256, 1, 256, 1, {&on_a, &on_b, &stream});
       },
       [&] {
         cores.run(kStream, [&](int first, int last) {
           for (int i = first; i < last; ++i) {
             a[i] = b[i];
           }
         });
       }},
      {"triad",
       [&, kernel = function("triad")] {
         launch(kernel, kStream / 256, 1, 256, 1, {&on_a, &on_b, &on_c, &factor, &stream});
       },
       [&] {
         cores.run(kStream, [&](int first, int last) {
           for (int i = first; i < last; ++i) {
             a[i] = b[i] + factor * c[i];
           }
         });
       }},
      {"multiply",
       [&, kernel = function("multiply")] {
         launch(kernel, kMatrix / kTile, kMatrix / kTile, kTile, kTile,
                {&on_a, &on_b, &on_c, &matrix});
       },
       [&] {
         cores.run(kMatrix / kTile, [&](int first, int last) {
           multiply_tiles(a.data(), b.data(), c.data(), first, last);
         });
       }},
      {"reduce",
       [&, kernel = function("reduce")] {
         launch(kernel, kSums, 1, 256, 1, {&on_a, &on_b, &stream});
       },
       [&] {
         cores.run(static_cast<int>(kSums), [&](int first, int last) {
           for (int block = first; block < last; ++block) {
             float sum = 0;
             for (int i = block * (kStream / 64); i < (block + 1) * (kStream / 64); ++i) {
               sum += b[i];
             }
             sums[block] = sum;
           }
         });
       }},
      {"mandelbrot",
       [&, kernel = function("mandelbrot")] {
         launch(kernel, kWidth / 32, kHeight / 8, 32, 8, {&on_a, &width, &height, &limit});
       },
       [&] {
         cores.run(kHeight,
                   [&](int first, int last) { mandelbrot_rows(passes.data(), first, last); });
       }},
  };
  const std::string only = count == 5 ? words[4] : "";
  for (const Case& one : cases) {
    if (!only.empty() && only != one.name) {
      continue;
    }
    one.executor();
    one.native();
    for (int i = 0; i < samples; ++i) {
      const double executor = microseconds(one.executor);
      const double native = microseconds(one.native);
      std::printf("%s %.2f %.2f\n", one.name, executor, native);
    }
  }
  for (int i = 0; i < samples * 100 && (only.empty() || only == "empty"); ++i) {
    std::printf("empty %.3f\n", microseconds([&] { launch(empty, 1, 1, 32, 1, {}); }));
  }
  return 0;
}
