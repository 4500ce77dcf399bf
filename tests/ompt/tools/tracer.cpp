// A tool that traces every device into small buffers, and checks what is in them. TRACER_BYTES is
// the size of a buffer (312 if it is not set, room for three records), TRACER_KINDS which kinds are
// traced, letters of t (target), o (data_op) and s (submit), tos if it is not set. A program may
// call tracer_flush() and so on by their names. Its lines are `record …` for each record, and at
// the end `totals …`.
#include "names.h"

#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include <omp.h>

namespace {

struct Functions {
  ompt_set_trace_ompt_t select;
  ompt_start_trace_t start;
  ompt_pause_trace_t pause;
  ompt_flush_trace_t flush;
  ompt_stop_trace_t stop;
  ompt_get_device_time_t now;
  ompt_translate_time_t translate;
  ompt_advance_buffer_cursor_t advance;
  ompt_get_record_type_t type_of;
  ompt_get_record_ompt_t record_at;
} functions;

constexpr int kMostDevices = 8;
ompt_device_t* devices[kMostDevices];
std::atomic<int> device_count{0};
std::atomic<ompt_id_t> last_number{0};
std::atomic<unsigned long> records{0};
std::atomic<unsigned long> buffers_out{0};
std::atomic<unsigned long> deliveries{0};
thread_local int in_callback = 0;
bool quiet = false;

std::mutex mutex;
/// What callbacks were told, and records are still to be of.
std::set<ompt_id_t> regions;
std::set<ompt_id_t> operations;

std::size_t buffer_size() {
  const char* const size = std::getenv("TRACER_BYTES");
  return size == nullptr ? 3 * sizeof(ompt_record_ompt_t) : std::strtoul(size, nullptr, 10);
}

void check(bool right, const char* what) {
  if (!right) {
    std::printf("wrong: %s\n", what);
    std::fflush(stdout);
  }
}

void request(int, ompt_buffer_t** buffer, std::size_t* bytes) {
  check(in_callback == 0, "a buffer is asked for within a callback");
  *bytes = buffer_size();
  *buffer = *bytes == 0 ? nullptr : std::malloc(*bytes);
  buffers_out += *bytes == 0 ? 0 : 1;
}

void look_at(const ompt_record_ompt_t& record, int device) {
  ++records;
  // Each is in one record, but a region in that of its begin too.
  const auto known = [](std::set<ompt_id_t>& numbers, ompt_id_t number, bool once = true) {
    const std::lock_guard lock(mutex);
    return once ? numbers.erase(number) == 1 : numbers.contains(number);
  };
  const double now = omp_get_wtime();
  const auto check_times = [&](ompt_device_time_t end) {
    check(record.time != 0 && record.time <= end, "a record ends before it begins");
    const double seconds = functions.translate(nullptr, end);
    check(seconds < now + 1 && seconds > now - 600, "a record's time is not one of this program's");
  };
  switch (record.type) {
  case ompt_callback_target:
    check(known(regions, record.target_id, record.record.target.endpoint == ompt_scope_end),
          "a record is of a region that no callback was told of");
    check(record.record.target.codeptr_ra != nullptr, "a record of a region has no code address");
    check_times(record.time);
    if (!quiet) {
      std::printf("record device=%d target kind=%s endpoint=%s time=%" PRIu64 "\n", device,
                  name_of(record.record.target.kind), name_of(record.record.target.endpoint),
                  record.time);
    }
    break;
  case ompt_callback_target_data_op: {
    const auto& operation = record.record.target_data_op;
    check(known(operations, operation.host_op_id),
          "a record is of an operation that no callback was told of");
    check_times(operation.end_time);
    if (!quiet) {
      std::printf("record device=%d operation kind=%s %d->%d bytes=%zu\n", device,
                  name_of(operation.optype), operation.src_device_num, operation.dest_device_num,
                  operation.bytes);
    }
    break;
  }
  case ompt_callback_target_submit: {
    const auto& kernel = record.record.target_kernel;
    check(known(operations, kernel.host_op_id),
          "a record is of a launch that no callback was told of");
    check_times(kernel.end_time);
    if (!quiet) {
      std::printf("record device=%d submit teams=%u begin=%" PRIu64 " end=%" PRIu64 "\n", device,
                  kernel.requested_num_teams, record.time, kernel.end_time);
    }
    break;
  }
  default:
    check(false, "a record has an unknown type");
  }
}

void complete(int device, ompt_buffer_t* buffer, std::size_t bytes, ompt_buffer_cursor_t begin,
              int owned) {
  check(in_callback == 0, "a buffer is delivered within a callback");
  check(bytes <= buffer_size(), "more bytes are delivered than the buffer has");
  ++deliveries;
  ompt_buffer_cursor_t current = begin;
  do {
    if (const ompt_record_ompt_t* const record = functions.record_at(buffer, current);
        record != nullptr) {
      check(functions.type_of(buffer, current) == ompt_record_ompt,
            "a record is not of OMPT's form");
      look_at(*record, device);
    }
  } while (functions.advance(nullptr, buffer, bytes, current, &current) != 0);
  std::fflush(stdout);
  if (owned != 0) {
    std::free(buffer);
    --buffers_out;
  }
}

void device_initialize(int number, const char*, ompt_device_t* device,
                       ompt_function_lookup_t look_up, const char*) {
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(look_up(name));
    check(function != nullptr, name);
  };
  find(functions.select, "ompt_set_trace_ompt");
  find(functions.start, "ompt_start_trace");
  find(functions.pause, "ompt_pause_trace");
  find(functions.flush, "ompt_flush_trace");
  find(functions.stop, "ompt_stop_trace");
  find(functions.now, "ompt_get_device_time");
  find(functions.translate, "ompt_translate_time");
  find(functions.advance, "ompt_advance_buffer_cursor");
  find(functions.type_of, "ompt_get_record_type");
  find(functions.record_at, "ompt_get_record_ompt");
  check(look_up("ompt_no_such_function") == nullptr, "a function that does not exist is found");
  check(functions.select(device, 1, ompt_callback_parallel_begin) == ompt_set_never,
        "events of the host are traced");
  check(functions.flush(device) == 0, "a trace that has not begun is flushed");
  const char* const kinds = std::getenv("TRACER_KINDS");
  for (const char* kind = kinds == nullptr ? "tos" : kinds; *kind != '\0'; ++kind) {
    check(functions.select(device, 1,
                           *kind == 't'   ? ompt_callback_target
                           : *kind == 'o' ? ompt_callback_target_data_op_emi
                                          : ompt_callback_target_submit) == ompt_set_always,
          "events of devices are not traced");
  }
  check(functions.start(device, request, complete) == 1, "a trace does not begin");
  check(functions.start(device, request, complete) == 0, "a trace begins twice");
  const double apart = functions.translate(nullptr, functions.now(nullptr)) - omp_get_wtime();
  check(apart < 1 && apart > -1, "the device's time is not that of omp_get_wtime()");
  if (number < kMostDevices) {
    devices[number] = device;
    ++device_count;
  }
}

void device_finalize(int device) {
  std::printf("finalize device=%d\n", device);
  std::fflush(stdout);
}

struct InCallback {
  InCallback() { ++in_callback; }
  ~InCallback() { --in_callback; }
};

void target(ompt_target_t, ompt_scope_endpoint_t endpoint, int, ompt_data_t*, ompt_data_t*,
            ompt_data_t* data, const void*) {
  const InCallback here;
  if (endpoint == ompt_scope_begin) {
    data->value = ++last_number;
    const std::lock_guard lock(mutex);
    regions.insert(data->value);
  }
}

void note(ompt_scope_endpoint_t endpoint, ompt_id_t* operation) {
  const InCallback here;
  if (endpoint == ompt_scope_begin) {
    *operation = ++last_number;
    const std::lock_guard lock(mutex);
    operations.insert(*operation);
  }
}

void data_op(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, ompt_id_t* operation,
             ompt_target_data_op_t, void*, int, void*, int, std::size_t, const void*) {
  note(endpoint, operation);
}

void submit(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_id_t* operation, unsigned) {
  note(endpoint, operation);
}

int initialize(ompt_function_lookup_t look_up, int, ompt_data_t*) {
  quiet = std::getenv("TRACER_QUIET") != nullptr;
  const auto set = reinterpret_cast<ompt_set_callback_t>(look_up("ompt_set_callback"));
  const auto add = [&](ompt_callbacks_t which, auto* callback) {
    check(set(which, reinterpret_cast<ompt_callback_t>(callback)) == ompt_set_always,
          "a callback is not always told");
  };
  add(ompt_callback_device_initialize, device_initialize);
  add(ompt_callback_device_finalize, device_finalize);
  add(ompt_callback_target_emi, target);
  add(ompt_callback_target_data_op_emi, data_op);
  add(ompt_callback_target_submit_emi, submit);
  return 1;
}

void finalize(ompt_data_t*) {
  check(buffers_out == 0, "a buffer was not given back");
  std::printf("totals records=%lu deliveries=%lu callbacks=%lu\n", records.load(),
              deliveries.load(), last_number.load());
  std::fflush(stdout);
}

} // namespace

// For programs that are linked with the tool.
extern "C" {
int tracer_flush() {
  return functions.flush(devices[0]);
}
int tracer_pause(int begin) {
  return functions.pause(devices[0], begin);
}
int tracer_stop() {
  return functions.stop(devices[0]);
}
int tracer_start() {
  return functions.start(devices[0], request, complete);
}
unsigned long tracer_records() {
  return records.load();
}

ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  static ompt_start_tool_result_t result{initialize, finalize, {}};
  return &result;
}
}
