// Where the driver of unit tests is: the PTX executor as the build has it.
#include "plugins/cuda/driver.h"

namespace gantry::cuda {

std::string driver_library() {
  return GANTRY_TEST_DRIVER;
}

std::string why_not_to_load() {
  return "";
}

std::string_view remedy_for_missing_library() {
  return "";
}

std::string_view remedy_for_faults() {
  return "";
}

// Tests call the handler.
void at_driver_end(void (*)()) {}

} // namespace gantry::cuda
