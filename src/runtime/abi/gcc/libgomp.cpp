#include "runtime/abi/gcc/libgomp.h"

#include <dlfcn.h>

namespace gantry::abi::gcc {

namespace {

template <typename Function>
void look_up(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

Libgomp find() {
  Libgomp found;
  // Not to be loaded: a program of GCC has it.
  void* const library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library != nullptr) {
    look_up(found.default_device, library, "omp_get_default_device");
    look_up(found.task, library, "GOMP_task");
    look_up(found.wait_for_dependences, library, "GOMP_taskwait_depend");
    look_up(found.target, library, "GOMP_target_ext");
    look_up(found.teams, library, "GOMP_teams4");
    found.team_number = dlsym(library, "omp_get_team_num");
  }
  return found;
}

} // namespace

const Libgomp& libgomp() {
  static const Libgomp found = find();
  return found;
}

} // namespace gantry::abi::gcc
