// One program with images for three instruction sets, and a device of each in one run: device 0 is
// the host's CPU, 1 an aarch64 and 2 a powerpc64le.
#include "check.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <omp.h>
#include <thread>
#include <vector>

namespace {

constexpr int kDevices = 3;
constexpr int kCount = 10000;

enum class Cpu : int { kHost, kAarch64, kPowerpc64le };

#pragma omp begin declare target
int calls = 0;
double table[4] = {1, 2, 4, 8};

/// Clang defines the host's macros for every device, and the device's besides.
Cpu cpu() {
#if defined(__aarch64__)
  return Cpu::kAarch64;
#elif defined(__powerpc64__)
  return Cpu::kPowerpc64le;
#else
  return Cpu::kHost;
#endif
}
#pragma omp end declare target

int on_any(int x);
#pragma omp declare target enter(on_any) indirect
int on_any(int x) {
  return 10 * x + static_cast<int>(cpu());
}

struct Node {
  std::int16_t small;
  std::int64_t large;
  char sign;
  double* values;
};

/// Three devices of three kinds.
void each_is_of_its_kind() {
  CHECK(omp_get_num_devices() == kDevices);
  for (int device = 0; device < kDevices; ++device) {
    int kind = -1;
    int number = -1;
#pragma omp target map(from : kind, number) device(device)
    {
      kind = static_cast<int>(cpu());
      number = omp_get_device_num();
    }
    CHECK(kind == device && number == device);
  }
}

/// What is computed is the same to the last bit.
void results_agree() {
  std::vector<std::vector<double>> results(kDevices, std::vector<double>(kCount));
  for (int device = 0; device < kDevices; ++device) {
    double* y = results[static_cast<std::size_t>(device)].data();
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(from : y[0 : kCount])      \
    map(tofrom : sum) device(device)
    for (int i = 0; i < kCount; ++i) {
      y[i] = std::sqrt(i) / 3;
      sum += i;
    }
    CHECK(sum == kCount * (kCount - 1) / 2.0);
  }
  for (int device = 1; device < kDevices; ++device) {
    CHECK(results[static_cast<std::size_t>(device)] == results[0]);
  }
}

/// Every device has its own variables, and objects lie in memory as they do on the host.
void variables_and_objects() {
  for (int device = 0; device < kDevices; ++device) {
    for (int i = 0; i <= device; ++i) {
#pragma omp target device(device)
      calls += 1;
    }
    double values[4] = {};
    Node node{-3, std::int64_t{1} << 40, -1, values};
#pragma omp target map(tofrom : node, node.values[0 : 4]) device(device)
    {
      for (int i = 0; i < 4; ++i) {
        node.values[i] = table[i] * static_cast<double>(node.small);
      }
      node.large += node.sign < 0 ? 1 : 0;
    }
    CHECK(values[3] == -24 && node.large == (std::int64_t{1} << 40) + 1);
  }
  for (int device = 0; device < kDevices; ++device) {
    int seen = -1;
#pragma omp target map(from : seen) device(device)
    seen = calls;
    CHECK(seen == device + 1);
  }
  CHECK(calls == 0);
}

/// A pointer to a function means each device's own version.
void functions_by_pointer() {
  int (*volatile function)(int) = on_any;
  for (int device = 0; device < kDevices; ++device) {
    int result = -1;
    auto* const call = function;
#pragma omp target map(from : result) firstprivate(call) device(device)
    result = call(7);
    CHECK(result == 70 + device);
  }
}

/// Memory of one device is copied to another, whatever the two are.
void copies_between_devices() {
  std::vector<std::int32_t> numbers(kCount);
  for (int i = 0; i < kCount; ++i) {
    numbers[static_cast<std::size_t>(i)] = i;
  }
  const std::size_t size = sizeof(std::int32_t) * kCount;
  const int host = omp_get_initial_device();
  const void* from = numbers.data();
  int from_device = host;
  std::vector<void*> blocks;
  for (int device = kDevices - 1; device >= 0; --device) {
    auto* const block = static_cast<std::int32_t*>(omp_target_alloc(size, device));
    CHECK(omp_target_memcpy(block, from, size, 0, 0, device, from_device) == 0);
#pragma omp target parallel for is_device_ptr(block) device(device)
    for (int i = 0; i < kCount; ++i) {
      block[i] += 1;
    }
    blocks.insert(blocks.begin(), block);
    from = block;
    from_device = device;
  }
  CHECK(omp_target_memcpy(numbers.data(), from, size, 0, 0, host, from_device) == 0);
  CHECK(numbers.front() == kDevices && numbers.back() == kCount - 1 + kDevices);
  for (int device = 0; device < kDevices; ++device) {
    omp_target_free(blocks[static_cast<std::size_t>(device)], device);
  }
}

/// All of them work at once.
void all_at_once() {
  std::vector<std::thread> threads;
  for (int device = 0; device < kDevices; ++device) {
    threads.emplace_back([device] {
      for (int round = 0; round < 20; ++round) {
        long sum = 0;
#pragma omp target parallel for reduction(+ : sum) map(tofrom : sum) device(device)
        for (int i = 0; i < 1000; ++i) {
          sum += i;
        }
        CHECK(sum == 499500);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

} // namespace

int main() {
  each_is_of_its_kind();
  results_agree();
  variables_and_objects();
  functions_by_pointer();
  copies_between_devices();
  all_at_once();
  return 0;
}
