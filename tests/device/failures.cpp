// Fails on a device in the way that its argument names; without one it says where it ran.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <omp.h>

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  if (std::strcmp(how, "memory") == 0) {
    const std::size_t count = std::size_t{1} << 50;
    char* const huge = reinterpret_cast<char*>(0x10000);
#pragma omp target enter data map(alloc : huge[0 : count])
    return 0;
  }
  if (std::strcmp(how, "exception") == 0) {
#pragma omp target
    std::vector<int>(2).at(omp_get_num_teams() + 1) = 1;
    return 0;
  }
  int on_host = 1;
  std::uintptr_t address = std::strcmp(how, "access") == 0 ? 64 : 0;
#pragma omp target map(from : on_host)
  {
    on_host = omp_is_initial_device();
    if (address != 0) {
      *reinterpret_cast<volatile int*>(address) = 1;
    }
  }
  std::puts(on_host != 0 ? "on the host" : "on the device");
}
