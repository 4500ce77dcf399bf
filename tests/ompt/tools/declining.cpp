// A tool that declines: DECLINING_IN is start_tool (it answers null) or initialize (it answers 0).
// Nothing of it is called after that.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include <omp-tools.h>

namespace {

void called() {
  std::puts("wrong: a callback of a tool that has declined is called");
  std::fflush(stdout);
}

int initialize(ompt_function_lookup_t look_up, int, ompt_data_t*) {
  const auto set = reinterpret_cast<ompt_set_callback_t>(look_up("ompt_set_callback"));
  for (const auto which : {ompt_callback_target_emi, ompt_callback_target_data_op_emi,
                           ompt_callback_device_initialize, ompt_callback_device_finalize}) {
    set(which, called);
  }
  std::puts("initialize");
  return 0;
}

void finalize(ompt_data_t*) {
  called();
}

} // namespace

extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  static ompt_start_tool_result_t result{initialize, finalize, {}};
  const char* const where = std::getenv("DECLINING_IN");
  std::puts("start_tool");
  return where != nullptr && std::strcmp(where, "initialize") == 0 ? &result : nullptr;
}
