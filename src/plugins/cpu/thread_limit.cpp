#include "plugins/cpu/thread_limit.h"

#include "plugins/cpu/image.h"

#include <type_traits>

#include <dlfcn.h>

namespace gantry::cpu {

namespace {

/// What is needed of libomp; null where no image has brought it.
struct Libomp {
  int (*global_thread_number)(void* location) = nullptr;
  void (*set_thread_limit)(void* location, int thread, int limit) = nullptr;
  int (*thread_limit)() = nullptr;
};

Libomp find_libomp() {
  void* const library = dlopen("libomp.so.5", RTLD_LAZY | RTLD_NOLOAD);
  Libomp found;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  const bool complete = library != nullptr &&
                        find(found.global_thread_number, "__kmpc_global_thread_num") &&
                        find(found.set_thread_limit, "__kmpc_set_thread_limit") &&
                        find(found.thread_limit, "omp_get_thread_limit");
  return complete ? found : Libomp();
}

} // namespace

void set_thread_limit(const gantry_kernel& kernel, std::uint32_t limit) {
  if (kernel.run != nullptr || kernel.run_league != nullptr) {
    return; // regions of GCC's and kernels of Flang's are told otherwise
  }
  thread_local std::uint32_t in_force = 0;
  thread_local int of_nobody = 0;
  if (limit == in_force) [[likely]] {
    return;
  }
  static const Libomp libomp = find_libomp();
  if (libomp.set_thread_limit == nullptr) {
    return;
  }
  const int thread = libomp.global_thread_number(nullptr);
  if (in_force == 0) {
    of_nobody = libomp.thread_limit();
  }
  libomp.set_thread_limit(nullptr, thread, limit == 0 ? of_nobody : static_cast<int>(limit));
  in_force = limit;
}

} // namespace gantry::cpu
