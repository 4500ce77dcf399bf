#include "plugins/cuda/driver.h"

namespace gantry::cuda {

std::string driver_library() {
  return GANTRY_TEST_DRIVER;
}

std::string_view remedy_for_faults() {
  return "";
}

} // namespace gantry::cuda
