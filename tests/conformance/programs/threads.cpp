// Any number of host threads use the same devices at once.
#include "conformance.h"

#include <atomic>
#include <thread>
#include <vector>

static std::atomic<long> sum;

static void work(int seed, int devices) {
  std::vector<int> mine(256, seed);
  int* p = mine.data();
  for (int round = 0; round < 200; ++round) {
    const int device = (seed + round) % devices;
#pragma omp target enter data map(to : p[0 : 256]) device(device)
    int on_host = 1;
#pragma omp target map(tofrom : p[0 : 256]) map(from : on_host) device(device)
    {
      on_host = omp_is_initial_device();
      for (int i = 0; i < 256; ++i) {
        p[i] += 1;
      }
    }
    CHECK(!on_host);
#pragma omp target exit data map(from : p[0 : 256]) device(device)
    CHECK(!omp_target_is_present(p, device));
    void* memory = omp_target_alloc(64, device);
    CHECK_EQUAL(omp_target_memcpy(memory, p, 64, 0, 0, device, omp_get_initial_device()), 0);
    omp_target_free(memory, device);
  }
  for (int x : mine) {
    CHECK_EQUAL(x, seed + 200);
  }
  sum += mine[0];
}

CASE(many_threads_use_all_devices, "threads.concurrent", "device.clause") {
  // The first use of the runtime is by all threads at once.
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 8; ++seed) {
    threads.emplace_back([seed] { work(seed, omp_get_num_devices()); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  CHECK_EQUAL(sum.load(), 28 + 8 * 200);
}

CASE(many_threads_map_one_object, "threads.same-object", "map.reference-count") {
  int shared_object[64];
  for (int i = 0; i < 64; ++i) {
    shared_object[i] = i;
  }
  int* const p = shared_object;
  const bool shared = device_shares_memory() != 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([p, shared] {
      for (int round = 0; round < 100; ++round) {
        int seen = -1;
        const void* there = nullptr;
#pragma omp target map(to : p[0 : 64]) map(from : seen, there)
        {
          seen = p[63];
          there = p;
        }
        CHECK_EQUAL(seen, 63);
        CHECK((there == p) == shared);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  CHECK(!conformance::is_present(p));
}
