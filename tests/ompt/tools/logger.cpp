// A tool that writes a line for each callback of devices: `word key=value…`. LOGGER_FORM is emi (if
// it is not set), plain, or both. Loaded by OMP_TOOL_LIBRARIES, or linked into a program.
#include "names.h"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

namespace {

std::atomic<ompt_id_t> last_number{0};
std::atomic<bool> finalized{false};

[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  std::snprintf(line + length, sizeof line - length, "%s\n", finalized.load() ? " late=1" : "");
  std::fputs(line, stdout);
  std::fflush(stdout);
}

/// The name of the file that holds a code address.
const char* file_of(const void* code) {
  Dl_info info{};
  if (code == nullptr || dladdr(code, &info) == 0 || info.dli_fname == nullptr) {
    return "none";
  }
  const char* const slash = std::strrchr(info.dli_fname, '/');
  return slash == nullptr ? info.dli_fname : slash + 1;
}

unsigned long number_in(const ompt_data_t* data) {
  return data == nullptr ? 0 : data->value;
}

void device_initialize(int number, const char* type, ompt_device_t* device,
                       ompt_function_lookup_t look_up, const char* documentation) {
  say("device_initialize device=%d type='%s' handle=%d lookup=%d documentation=%d", number, type,
      device != nullptr, look_up != nullptr, documentation != nullptr);
}

void device_finalize(int number) {
  say("device_finalize device=%d", number);
}

void device_load(int number, const char* file, std::int64_t offset, void* address,
                 std::size_t bytes, void* host, void* device, std::uint64_t module) {
  say("device_load device=%d file=%s offset=%ld address=%p bytes=%zu host=%p there=%p module=%lu",
      number, file == nullptr ? "none" : file, static_cast<long>(offset), address, bytes, host,
      device, module);
}

void device_unload(int number, std::uint64_t module) {
  say("device_unload device=%d module=%lu", number, module);
}

void target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t* task,
                ompt_data_t* target_task, ompt_data_t* data, const void* code) {
  if (endpoint == ompt_scope_begin) {
    if (data->value != 0) {
      say("wrong: the data of a region has the value %lu at its begin", data->value);
    }
    data->value = ++last_number;
  }
  say("target kind=%s endpoint=%s device=%d region=%lu task=%d own_task=%d code=%p file=%s",
      name_of(kind), name_of(endpoint), device, data->value, task != nullptr,
      target_task != nullptr, code, file_of(code));
}

void target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t* task,
            ompt_id_t region, const void* code) {
  say("target kind=%s endpoint=%s device=%d region=%lu task=%d own_task=- code=%p file=%s",
      name_of(kind), name_of(endpoint), device, region, task != nullptr, code, file_of(code));
}

void data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t* target_task, ompt_data_t* data,
                 ompt_id_t* operation, ompt_target_data_op_t kind, void* from, int from_device,
                 void* to, int to_device, std::size_t bytes, const void* code) {
  if (endpoint == ompt_scope_begin) {
    if (*operation != 0) {
      say("wrong: an operation has the number %lu at its begin", *operation);
    }
    *operation = ++last_number;
  }
  say("operation kind=%s endpoint=%s from=%p from_device=%d to=%p to_device=%d bytes=%zu "
      "region=%lu number=%lu "
      "own_task=%d code=%p file=%s",
      name_of(kind), name_of(endpoint), from, from_device, to, to_device, bytes, number_in(data),
      *operation, target_task != nullptr, code, file_of(code));
}

void data_op(ompt_id_t region, ompt_id_t operation, ompt_target_data_op_t kind, void* from,
             int from_device, void* to, int to_device, std::size_t bytes, const void* code) {
  say("operation kind=%s endpoint=- from=%p from_device=%d to=%p to_device=%d bytes=%zu region=%lu "
      "number=%lu "
      "own_task=- code=%p file=%s",
      name_of(kind), from, from_device, to, to_device, bytes, region, operation, code,
      file_of(code));
}

void submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t* data, ompt_id_t* operation,
                unsigned teams) {
  if (endpoint == ompt_scope_begin) {
    if (*operation != 0) {
      say("wrong: a launch has the number %lu at its begin", *operation);
    }
    *operation = ++last_number;
  }
  say("submit endpoint=%s teams=%u region=%lu number=%lu", name_of(endpoint), teams,
      number_in(data), *operation);
}

void submit(ompt_id_t region, ompt_id_t operation, unsigned teams) {
  say("submit endpoint=- teams=%u region=%lu number=%lu", teams, region, operation);
}

void target_map(ompt_id_t, unsigned, void**, void**, std::size_t*, unsigned*, const void*) {
  say("wrong: target_map is called");
}

int initialize(ompt_function_lookup_t look_up, int, ompt_data_t*) {
  const char* const form = std::getenv("LOGGER_FORM");
  const bool plain = form != nullptr && std::strcmp(form, "emi") != 0;
  const bool emi = form == nullptr || std::strcmp(form, "plain") != 0;
  const auto set = reinterpret_cast<ompt_set_callback_t>(look_up("ompt_set_callback"));
  const auto add = [&](ompt_callbacks_t which, auto* callback) {
    return set(which, reinterpret_cast<ompt_callback_t>(callback));
  };
  int least = ompt_set_always;
  const auto always = [&](ompt_callbacks_t which, auto* callback) {
    least = std::min<int>(least, add(which, callback));
  };
  always(ompt_callback_device_initialize, device_initialize);
  always(ompt_callback_device_finalize, device_finalize);
  always(ompt_callback_device_load, device_load);
  // libomp says never, and Gantry, where it answers, always.
  const int unload = add(ompt_callback_device_unload, device_unload);
  if (emi) {
    always(ompt_callback_target_emi, target_emi);
    always(ompt_callback_target_data_op_emi, data_op_emi);
    always(ompt_callback_target_submit_emi, submit_emi);
  }
  if (plain) {
    always(ompt_callback_target, target);
    always(ompt_callback_target_data_op, data_op);
    always(ompt_callback_target_submit, submit);
  }
  say("tool initialize least=%d unload=%d map=%d", least, unload,
      add(ompt_callback_target_map, target_map));
  return 1;
}

void finalize(ompt_data_t*) {
  say("tool finalize");
  finalized.store(true);
}

} // namespace

extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  static ompt_start_tool_result_t result{initialize, finalize, {}};
  return &result;
}
