// A program that is its own tool: it registers callbacks, and takes them back, while it runs. A
// line for each region says how many of each were called.
#include <cstdio>

#include <omp-tools.h>

static ompt_set_callback_t set_callback;
static int regions, operations, launches;
static bool adds_launches = false;

static void count_launch(ompt_scope_endpoint_t, ompt_data_t*, ompt_id_t*, unsigned) {
  ++launches;
}

static void count_operation(ompt_scope_endpoint_t, ompt_data_t*, ompt_data_t*, ompt_id_t*,
                            ompt_target_data_op_t, void*, int, void*, int, std::size_t,
                            const void*) {
  ++operations;
}

static void count_region(ompt_target_t, ompt_scope_endpoint_t, int, ompt_data_t*, ompt_data_t*,
                         ompt_data_t*, const void*) {
  ++regions;
  if (adds_launches) {
    set_callback(ompt_callback_target_submit_emi, reinterpret_cast<ompt_callback_t>(count_launch));
  }
}

static int initialize(ompt_function_lookup_t look_up, int, ompt_data_t*) {
  set_callback = reinterpret_cast<ompt_set_callback_t>(look_up("ompt_set_callback"));
  return 1;
}

static void finalize(ompt_data_t*) {}

extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  static ompt_start_tool_result_t result{initialize, finalize, {}};
  return &result;
}

static void run(const char* what) {
  regions = operations = launches = 0;
  int value = 1;
#pragma omp target map(tofrom : value)
  ++value;
  std::printf("%s: %d %d %d%s\n", what, regions, operations, launches, value == 2 ? "" : ", wrong");
}

int main() {
  run("nothing");
  set_callback(ompt_callback_target_emi, reinterpret_cast<ompt_callback_t>(count_region));
  run("regions");
  set_callback(ompt_callback_target_data_op_emi,
               reinterpret_cast<ompt_callback_t>(count_operation));
  run("and operations");
  adds_launches = true;
  run("and launches, in a callback");
  run("all");
  adds_launches = false;
  set_callback(ompt_callback_target_emi, nullptr);
  run("no regions");
  set_callback(ompt_callback_target_data_op_emi, nullptr);
  run("launches alone");
  set_callback(ompt_callback_target_submit_emi, nullptr);
  run("nothing");
  return 0;
}
