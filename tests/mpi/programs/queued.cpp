// queued: copies that go into queues, one behind the other: to device 0, from there to device 1,
// and back; and a rectangle of eight rows.
#include <cstdio>
#include <vector>

#include <omp.h>

int main() {
  constexpr std::size_t kSize = 8 << 20;
  constexpr std::size_t kRows = 8;
  const int host = omp_get_initial_device();
  std::vector<char> here(kSize, 1);
  std::vector<char> back(kSize);
  void* const first = omp_target_alloc(kSize, 0);
  void* const second = omp_target_alloc(kSize, 1);
  omp_target_memcpy_async(first, here.data(), kSize, 0, 0, 0, host, 0, nullptr);
#pragma omp taskwait
  omp_target_memcpy_async(second, first, kSize, 0, 0, 1, 0, 0, nullptr);
#pragma omp taskwait
  omp_target_memcpy_async(back.data(), second, kSize, 0, 0, host, 1, 0, nullptr);
#pragma omp taskwait
  const std::size_t volume[] = {kRows, kSize / kRows / 2};
  const std::size_t offsets[] = {0, 0};
  const std::size_t sizes[] = {kRows, kSize / kRows};
  omp_target_memcpy_rect_async(first, here.data(), 1, 2, volume, offsets, offsets, sizes, sizes, 0,
                               host, 0, nullptr);
#pragma omp taskwait
  std::puts(back == here ? "right" : "wrong");
}
