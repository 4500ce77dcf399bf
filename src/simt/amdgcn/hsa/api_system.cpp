// The runtime as a whole: its beginning and end, what it is, texts of statuses, faults of kernels.
#include "base/monotonic.h"
#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/answer.h"
#include "simt/amdgcn/hsa/events.h"
#include "simt/amdgcn/hsa/process.h"

#include <algorithm>
#include <array>

#include <hsa/hsa_ext_amd.h>

using namespace gantry::simt::hsa; // NOLINT(google-build-using-namespace)

namespace {

struct StatusText {
  int status;
  const char* text;
};

constexpr std::array kTexts = {
    StatusText{HSA_STATUS_SUCCESS, "HSA_STATUS_SUCCESS: the call has done what it is for"},
    StatusText{HSA_STATUS_INFO_BREAK, "HSA_STATUS_INFO_BREAK: a callback has ended a traversal"},
    StatusText{HSA_STATUS_ERROR, "HSA_STATUS_ERROR: an error without a status of its own"},
    StatusText{HSA_STATUS_ERROR_INVALID_ARGUMENT,
               "HSA_STATUS_ERROR_INVALID_ARGUMENT: an argument is none that the function takes"},
    StatusText{HSA_STATUS_ERROR_INVALID_QUEUE_CREATION,
               "HSA_STATUS_ERROR_INVALID_QUEUE_CREATION: the agent has no queues of this type"},
    StatusText{HSA_STATUS_ERROR_INVALID_ALLOCATION,
               "HSA_STATUS_ERROR_INVALID_ALLOCATION: the memory cannot be allocated, or is not"},
    StatusText{HSA_STATUS_ERROR_INVALID_AGENT,
               "HSA_STATUS_ERROR_INVALID_AGENT: the handle is no agent's"},
    StatusText{HSA_STATUS_ERROR_INVALID_REGION,
               "HSA_STATUS_ERROR_INVALID_REGION: the handle is no region's"},
    StatusText{HSA_STATUS_ERROR_INVALID_SIGNAL,
               "HSA_STATUS_ERROR_INVALID_SIGNAL: the handle is no signal's"},
    StatusText{HSA_STATUS_ERROR_INVALID_QUEUE,
               "HSA_STATUS_ERROR_INVALID_QUEUE: the pointer is no queue's"},
    StatusText{HSA_STATUS_ERROR_OUT_OF_RESOURCES,
               "HSA_STATUS_ERROR_OUT_OF_RESOURCES: there is not enough memory, or too few threads"},
    StatusText{HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
               "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT: a queue has a packet that it cannot "
               "execute"},
    StatusText{HSA_STATUS_ERROR_RESOURCE_FREE,
               "HSA_STATUS_ERROR_RESOURCE_FREE: something could not be freed"},
    StatusText{HSA_STATUS_ERROR_NOT_INITIALIZED,
               "HSA_STATUS_ERROR_NOT_INITIALIZED: hsa_init has not been called in this process"},
    StatusText{HSA_STATUS_ERROR_REFCOUNT_OVERFLOW,
               "HSA_STATUS_ERROR_REFCOUNT_OVERFLOW: hsa_init has been called too often"},
    StatusText{HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
               "HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS: the arguments do not fit one another"},
    StatusText{HSA_STATUS_ERROR_INVALID_INDEX,
               "HSA_STATUS_ERROR_INVALID_INDEX: the index is out of range"},
    StatusText{HSA_STATUS_ERROR_INVALID_ISA, "HSA_STATUS_ERROR_INVALID_ISA: the handle is no "
                                             "instruction set's"},
    StatusText{HSA_STATUS_ERROR_INVALID_ISA_NAME,
               "HSA_STATUS_ERROR_INVALID_ISA_NAME: no instruction set has the name"},
    StatusText{HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
               "HSA_STATUS_ERROR_INVALID_CODE_OBJECT: the code object is damaged, or none"},
    StatusText{HSA_STATUS_ERROR_INVALID_EXECUTABLE,
               "HSA_STATUS_ERROR_INVALID_EXECUTABLE: the handle is no executable's"},
    StatusText{HSA_STATUS_ERROR_FROZEN_EXECUTABLE,
               "HSA_STATUS_ERROR_FROZEN_EXECUTABLE: the executable is frozen"},
    StatusText{HSA_STATUS_ERROR_INVALID_SYMBOL_NAME,
               "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME: no symbol has the name"},
    StatusText{HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED,
               "HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED: the variable is defined already"},
    StatusText{HSA_STATUS_ERROR_VARIABLE_UNDEFINED,
               "HSA_STATUS_ERROR_VARIABLE_UNDEFINED: the code object uses what nothing defines"},
    StatusText{HSA_STATUS_ERROR_EXCEPTION,
               "HSA_STATUS_ERROR_EXCEPTION: a kernel has ended in a trap"},
    StatusText{HSA_STATUS_ERROR_INVALID_CODE_SYMBOL,
               "HSA_STATUS_ERROR_INVALID_CODE_SYMBOL: the handle is no code symbol's"},
    StatusText{HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL,
               "HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL: the handle is no symbol's"},
    StatusText{HSA_STATUS_ERROR_INVALID_FILE,
               "HSA_STATUS_ERROR_INVALID_FILE: the file cannot be read"},
    StatusText{HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER,
               "HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER: the handle is no reader's"},
    StatusText{HSA_STATUS_ERROR_INVALID_CACHE, "HSA_STATUS_ERROR_INVALID_CACHE: the handle is no "
                                               "cache's"},
    StatusText{HSA_STATUS_ERROR_INVALID_WAVEFRONT,
               "HSA_STATUS_ERROR_INVALID_WAVEFRONT: the handle is no wavefront's"},
    StatusText{HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP,
               "HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP: the handle is no group of signals'"},
    StatusText{HSA_STATUS_ERROR_INVALID_RUNTIME_STATE,
               "HSA_STATUS_ERROR_INVALID_RUNTIME_STATE: the runtime is not configured"},
    StatusText{HSA_STATUS_ERROR_FATAL,
               "HSA_STATUS_ERROR_FATAL: a queue cannot go on after an error"},
    StatusText{HSA_STATUS_ERROR_INVALID_MEMORY_POOL,
               "HSA_STATUS_ERROR_INVALID_MEMORY_POOL: the handle is no memory pool's"},
    StatusText{HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION,
               "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: a kernel has used an address that no "
               "memory can have"},
    StatusText{HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
               "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: a kernel has an instruction that the agent "
               "does not execute"},
    StatusText{HSA_STATUS_ERROR_MEMORY_FAULT,
               "HSA_STATUS_ERROR_MEMORY_FAULT: a kernel has accessed what it may not"},
    StatusText{HSA_STATUS_CU_MASK_REDUCED,
               "HSA_STATUS_CU_MASK_REDUCED: some of the compute units are disabled"},
};

} // namespace

extern "C" {

hsa_status_t HSA_API hsa_init() {
  gantry::simt::amdgcn::prepare_thread();
  return Process::instance().initialise();
}

hsa_status_t HSA_API hsa_shut_down() {
  return Process::instance().shut_down();
}

hsa_status_t HSA_API hsa_status_string(hsa_status_t status, const char** status_string) {
  return call([&] {
    const auto found = std::ranges::find(kTexts, static_cast<int>(status), &StatusText::status);
    if (status_string == nullptr || found == kTexts.end()) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    *status_string = found->text;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_system_get_info(hsa_system_info_t attribute, void* value) {
  return call([&] {
    if (value == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    switch (static_cast<int>(attribute)) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR:
    case HSA_SYSTEM_INFO_VERSION_MINOR:
      return answer<std::uint16_t>(value, 1);
    case HSA_SYSTEM_INFO_TIMESTAMP:
      return answer<std::uint64_t>(value, gantry::monotonic_now());
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY:
      return answer<std::uint64_t>(value, kSystemFrequency);
    case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT:
      return answer<std::uint64_t>(value, UINT64_MAX);
    case HSA_SYSTEM_INFO_ENDIANNESS:
      return answer(value, HSA_ENDIANNESS_LITTLE);
    case HSA_SYSTEM_INFO_MACHINE_MODEL:
      return answer(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_SYSTEM_INFO_EXTENSIONS:
      return answer(value, std::array<std::uint8_t, 128>{});
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

hsa_status_t HSA_API hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback,
                                                           void* data) {
  return call([&] {
    if (callback == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return Events::instance().set_system_handler(callback, data) ? HSA_STATUS_SUCCESS
                                                                 : HSA_STATUS_ERROR;
  });
}

} // extern "C"
