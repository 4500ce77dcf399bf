// Where the HSA runtime of unit tests is: the executor as the build has it.
#include "plugins/hsa/library.h"

namespace gantry::hsa {

std::string library_path() {
  return GANTRY_TEST_RUNTIME;
}

std::string why_not_to_load() {
  return "";
}

std::string_view remedy_for_missing_library() {
  return "";
}

std::string_view remedy_for_failed_start() {
  return "";
}

std::string_view remedy_for_new_code() {
  return "";
}

std::string_view remedy_for_faults() {
  return "";
}

// Tests call the handler.
void at_library_end(void (*)()) {}

} // namespace gantry::hsa
