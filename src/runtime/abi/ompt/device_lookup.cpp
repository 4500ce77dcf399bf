#include "runtime/abi/ompt/device_lookup.h"

#include "runtime/abi/ompt/devices.h"
#include "runtime/core/events/events.h"

#include <cstdint>
#include <string_view>

// The clock of programs, of the OpenMP runtime in the process.
extern "C" __attribute__((weak)) double omp_get_wtime();

namespace gantry::abi::ompt {

namespace {

constexpr double kNanosecond = 1e-9;

/// Tools of LLVM's tests have no device at hand where they read buffers and times: null is any.
DeviceTrace* trace_of(ompt_device_t* device) {
  KnownDevice* const known = KnownDevice::of(device);
  return known == nullptr ? nullptr : &known->trace();
}

/// How many processors a device has is not known of any.
int get_device_num_procs(ompt_device_t* /*device*/) {
  return 0;
}

ompt_device_time_t get_device_time(ompt_device_t* /*device*/) {
  return static_cast<ompt_device_time_t>(core::event_time());
}

/// A time of records as omp_get_wtime() has it.
double translate_time(ompt_device_t* /*device*/, ompt_device_time_t time) {
  const auto nanoseconds = static_cast<std::int64_t>(time);
  if (omp_get_wtime == nullptr) {
    return static_cast<double>(nanoseconds) * kNanosecond;
  }
  // Both clocks at one moment: the closest of a few looks, as the thread may lose its processor.
  constexpr int kLooks = 8;
  constexpr std::int64_t kClose = 1000;
  std::int64_t closest = INT64_MAX;
  double translated = 0;
  for (int i = 0; i < kLooks && closest > kClose; ++i) {
    const std::int64_t before = core::event_time();
    const double seconds = omp_get_wtime();
    const std::int64_t took = core::event_time() - before;
    if (took < closest) {
      closest = took;
      translated = seconds + static_cast<double>(nanoseconds - before) * kNanosecond;
    }
  }
  return translated;
}

ompt_set_result_t set_trace_ompt(ompt_device_t* device, unsigned enable, unsigned type) {
  DeviceTrace* const trace = trace_of(device);
  return trace == nullptr ? ompt_set_error : trace->select(enable != 0, type);
}

ompt_set_result_t set_trace_native(ompt_device_t* /*device*/, int /*enable*/, int /*flags*/) {
  return ompt_set_never;
}

int start_trace(ompt_device_t* device, ompt_callback_buffer_request_t request,
                ompt_callback_buffer_complete_t complete) {
  DeviceTrace* const trace = trace_of(device);
  return trace != nullptr && trace->start(request, complete);
}

int pause_trace(ompt_device_t* device, int begin) {
  DeviceTrace* const trace = trace_of(device);
  return trace != nullptr && trace->pause(begin != 0);
}

int flush_trace(ompt_device_t* device) {
  DeviceTrace* const trace = trace_of(device);
  return trace != nullptr && trace->flush();
}

int stop_trace(ompt_device_t* device) {
  DeviceTrace* const trace = trace_of(device);
  return trace != nullptr && trace->stop();
}

ompt_record_ompt_t* get_record_ompt(ompt_buffer_t* buffer, ompt_buffer_cursor_t current) {
  return buffer == nullptr || current == 0 ? nullptr
                                           : reinterpret_cast<ompt_record_ompt_t*>(current);
}

/// `size` is what the delivery of the buffer said: where its last record ends.
int advance_buffer_cursor(ompt_device_t* /*device*/, ompt_buffer_t* buffer, std::size_t size,
                          ompt_buffer_cursor_t current, ompt_buffer_cursor_t* next) {
  constexpr std::size_t kRecord = sizeof(ompt_record_ompt_t);
  const auto begin = reinterpret_cast<std::uintptr_t>(buffer);
  const bool more = current != 0 && current - begin + 2 * kRecord <= size;
  *next = more ? current + kRecord : 0;
  return more ? 1 : 0;
}

ompt_record_t get_record_type(ompt_buffer_t* buffer, ompt_buffer_cursor_t current) {
  return get_record_ompt(buffer, current) == nullptr ? ompt_record_invalid : ompt_record_ompt;
}

void* get_record_native(ompt_buffer_t* /*buffer*/, ompt_buffer_cursor_t /*current*/,
                        ompt_id_t* /*host_op_id*/) {
  return nullptr; // there are none
}

ompt_record_abstract_t* get_record_abstract(void* /*native_record*/) {
  return nullptr;
}

struct Named {
  std::string_view name;
  ompt_interface_fn_t function;
};

template <typename Function>
Named named(std::string_view name, Function* function) {
  return {name, reinterpret_cast<ompt_interface_fn_t>(function)};
}

} // namespace

ompt_interface_fn_t look_up_for_device(const char* name) {
  static const Named functions[] = {
      named("ompt_get_device_num_procs", get_device_num_procs),
      named("ompt_get_device_time", get_device_time),
      named("ompt_translate_time", translate_time),
      named("ompt_set_trace_ompt", set_trace_ompt),
      named("ompt_set_trace_native", set_trace_native),
      named("ompt_start_trace", start_trace),
      named("ompt_pause_trace", pause_trace),
      named("ompt_flush_trace", flush_trace),
      named("ompt_stop_trace", stop_trace),
      named("ompt_advance_buffer_cursor", advance_buffer_cursor),
      named("ompt_get_record_type", get_record_type),
      named("ompt_get_record_ompt", get_record_ompt),
      named("ompt_get_record_native", get_record_native),
      named("ompt_get_record_abstract", get_record_abstract),
  };
  for (const Named& function : functions) {
    if (function.name == name) {
      return function.function;
    }
  }
  return nullptr;
}

} // namespace gantry::abi::ompt
