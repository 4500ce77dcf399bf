// The teams of a league that the host runs in place of a device, for GCC's code.
#include "runtime/abi/export.h"
#include "runtime/abi/gcc/libgomp.h"

#include <dlfcn.h>

using namespace gantry::abi::gcc;

namespace {

/// Whether GCC's code in this process asks libomp for the number of its team, because a program of
/// Clang's has brought libomp and it comes first. Which one comes first does not change later.
bool team_numbers_are_libomps() {
  static const bool result = [] {
    void* const asked = dlsym(RTLD_DEFAULT, "omp_get_team_num");
    return asked != nullptr && asked != libgomp().team_number;
  }();
  return result;
}

} // namespace

/// Begins the next team of a league, if there is one; called until it returns false. libomp knows
/// nothing of libgomp's leagues, and says that there is one team, so that is how many there are:
/// each of several would do the work of all.
GANTRY_EXPORT bool GOMP_teams4(unsigned least, unsigned most, unsigned limit, bool first) {
  if (libgomp().teams == nullptr || team_numbers_are_libomps()) {
    return first;
  }
  return libgomp().teams(least, most, limit, first);
}
