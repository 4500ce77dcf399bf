// between SECONDS: copies from device 0 to device 1 again and again; when one fails, what still can
// be copied from either of them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <omp.h>

int main(int count, char** words) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kSize = 32 << 20;
  const auto end =
      Clock::now() + std::chrono::duration<double>(count > 1 ? std::atof(words[1]) : 1);
  const int host = omp_get_initial_device();
  void* const from = omp_target_alloc(kSize, 0);
  void* const to = omp_target_alloc(kSize, 1);
  std::vector<char> here(kSize, 'a');
  omp_target_memcpy(from, here.data(), kSize, 0, 0, 0, host);
  int copies = 0;
  while (Clock::now() < end && omp_target_memcpy(to, from, kSize, 0, 0, 1, 0) == 0) {
    ++copies;
  }
  std::printf("%s copies\n", copies > 0 ? "some" : "no");
  for (const int device : {0, 1}) {
    here.assign(kSize, 'b');
    const int failed =
        omp_target_memcpy(here.data(), device == 0 ? from : to, kSize, 0, 0, host, device);
    std::printf("device %d: %s\n", device,
                failed != 0          ? "lost"
                : here.back() == 'a' ? "right"
                                     : "wrong");
  }
}
