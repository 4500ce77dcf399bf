// leaving [tasks | first MS]: main returns 7 while threads go on with regions and copies on all
// devices, some with data that is mapped; or exit(7) is called in a parallel region, while target
// tasks go on, or as long after they were the first to use the devices. They are to end with the
// process, and not to end it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <omp.h>

static void compute(int device) {
  std::vector<int> numbers(1 << 16);
  int* const p = numbers.data();
#pragma omp target enter data map(to : p[0 : 1 << 16]) device(device)
  for (;;) {
#pragma omp target device(device)
    for (int i = 0; i < 1 << 16; ++i) {
      p[i] += 1;
    }
#pragma omp target update from(p[0 : 1 << 16]) device(device)
  }
}

static void copy(int device) {
  const int host = omp_get_initial_device();
  constexpr std::size_t kSize = 4 << 20;
  std::vector<char> bytes(kSize);
  void* const there = omp_target_alloc(kSize, device);
  for (;;) {
    omp_target_memcpy(there, bytes.data(), kSize, 0, 0, device, host);
    omp_target_memcpy(bytes.data(), there, kSize, 0, 0, host, device);
  }
}

static void leave_tasks() {
  static int numbers[1 << 16];
  int* const p = numbers;
  const int devices = omp_get_num_devices();
#pragma omp target enter data map(to : p[0 : 1 << 16]) device(0)
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 200; ++i) {
#pragma omp target nowait device(i % devices)
      for (volatile int j = 0; j < 3'000'000; j = j + 1) {
      }
#pragma omp target update to(p[0 : 1 << 16]) device(0) nowait
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::puts("leaves");
    std::exit(7);
  }
}

static void leave_first_tasks(int milliseconds) {
  static int numbers[1 << 10];
  int* const p = numbers;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp target nowait device(i % 2)
      for (volatile int j = 0; j < 1'000'000; j = j + 1) {
      }
#pragma omp target enter data map(to : p[0 : 1 << 10]) device(i % 2) nowait
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    std::puts("leaves");
    std::exit(7);
  }
}

int main(int count, char** words) {
  if (count > 2) {
    leave_first_tasks(std::atoi(words[2])); // of which device 1 is refused if it is not there
  }
  if (omp_get_num_devices() != 2) {
    return 3;
  }
  if (count > 1) {
    leave_tasks();
  }
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    std::thread(compute, device).detach();
    std::thread(copy, device).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  std::puts("leaves");
  return 7;
}
