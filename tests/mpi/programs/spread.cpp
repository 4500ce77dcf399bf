// spread ROUNDS: target regions with nowait and no device clause, each with its own part of an
// array. Says how many ran on each device, and how many results are wrong.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <omp.h>

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 1;
  const int devices = omp_get_num_devices();
  const int regions = 4 * devices;
  const int size = 4096;
  std::vector<int> all(static_cast<std::size_t>(regions) * size);
  std::vector<int> ran_on(regions);
  std::vector<long> counts(devices + 1);
  int factor[1] = {3};
  long wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < regions; ++i) {
      int* const part = &all[static_cast<std::size_t>(i) * size];
      int* const device = &ran_on[i];
      for (int k = 0; k < size; ++k) {
        part[k] = k + round;
      }
#pragma omp target nowait map(tofrom : part[0 : size]) map(from : device[0 : 1]) map(to : factor)
      {
        for (int again = 0; again < 200; ++again) {
          for (int k = 0; k < size; ++k) {
            part[k] = again == 0 ? part[k] * factor[0] : part[k] + (again & 1) * 2 - 1;
          }
        }
        device[0] = omp_get_device_num();
      }
    }
#pragma omp taskwait
    for (int i = 0; i < regions; ++i) {
      for (int k = 0; k < size; ++k) {
        wrong += all[static_cast<std::size_t>(i) * size + k] != (k + round) * 3 + 1;
      }
      ++counts[ran_on[i] < 0 ? devices : ran_on[i]];
    }
  }
  for (int device = 0; device < devices; ++device) {
    std::printf("device %d: %ld regions\n", device, counts[device]);
  }
  std::printf("%d regions, %ld wrong\n", rounds * regions, wrong);
  return wrong != 0;
}
