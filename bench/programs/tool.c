// A tool of OpenMP's chapter 19 whose callbacks do nothing: those of regions, their operations on
// data, and their kernels, each at its begin and its end.
#include <omp-tools.h>

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
                      ompt_data_t* task, ompt_data_t* target_task, ompt_data_t* target,
                      const void* code) {}
static void on_data(ompt_scope_endpoint_t endpoint, ompt_data_t* target_task, ompt_data_t* target,
                    ompt_id_t* operation, ompt_target_data_op_t kind, void* source,
                    int source_device, void* destination, int destination_device, size_t bytes,
                    const void* code) {}
static void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t* target, ompt_id_t* operation,
                      unsigned teams) {}

static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t* data) {
  const ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  set(ompt_callback_target_emi, (ompt_callback_t)on_target);
  set(ompt_callback_target_data_op_emi, (ompt_callback_t)on_data);
  set(ompt_callback_target_submit_emi, (ompt_callback_t)on_submit);
  return 1;
}
static void finalize(ompt_data_t* data) {}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
