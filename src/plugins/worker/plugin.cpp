#include "plugins/last_error.h"
#include "plugins/worker/image.h"
#include "plugins/worker/process.h"

#include <gantry/plugin.h>

using namespace gantry::worker;

namespace {

int32_t kind_of(FaultKind kind) {
  switch (kind) {
  case FaultKind::kAccess:
    return GANTRY_FAULT_ACCESS;
  case FaultKind::kArithmetic:
    return GANTRY_FAULT_ARITHMETIC;
  case FaultKind::kInstruction:
    return GANTRY_FAULT_INSTRUCTION;
  case FaultKind::kAbort:
    return GANTRY_FAULT_ABORT;
  case FaultKind::kStack:
    return GANTRY_FAULT_STACK;
  case FaultKind::kExit:
    return GANTRY_FAULT_EXIT;
  case FaultKind::kTime:
    return GANTRY_FAULT_TIME;
  case FaultKind::kSignal:
  case FaultKind::kNone:
    break;
  }
  return GANTRY_FAULT_OTHER;
}

} // namespace

extern "C" {

int32_t __tgt_rtl_api_version(void) noexcept {
  return GANTRY_PLUGIN_API_VERSION;
}

const char* __tgt_rtl_error_message(void) noexcept {
  return gantry::plugins::last_error();
}

int32_t __tgt_rtl_number_of_devices(void) noexcept {
  const auto command = worker_command();
  if (!command) {
    gantry::plugins::set_error(GANTRY_FAILURE, command.error());
  }
  return command ? 1 : 0;
}

int32_t __tgt_rtl_device_fault(int32_t device, gantry_fault* fault) noexcept {
  Device& of = device_of(device);
  Worker* const worker = of.worker.load(std::memory_order_acquire);
  if (worker == nullptr || !worker->lost()) {
    return GANTRY_NOT_FOUND;
  }
  *fault = {};
  fault->kind = GANTRY_FAULT_OTHER;
  const Fault& told = worker->control().fault;
  if (told.complete.load(std::memory_order_acquire) == 0) {
    return GANTRY_SUCCESS;
  }
  fault->kind = kind_of(told.kind);
  fault->value = told.value;
  fault->access = static_cast<int32_t>(told.access);
  fault->address_known = static_cast<int32_t>(told.known);
  fault->address = told.address;
  const std::lock_guard lock(of.mutex);
  for (gantry_image* const image : of.images) {
    if (told.kernel != 0 && fault->kernel == nullptr) {
      fault->kernel = image->kernel(told.kernel);
      fault->kernel_name = fault->kernel == nullptr ? nullptr : fault->kernel->name.c_str();
    }
    if (told.image != 0 && image->handle() == told.image) {
      fault->image = image->bytes().data();
      fault->image_size = image->bytes().size();
      fault->code = told.image_code;
    }
  }
  return GANTRY_SUCCESS;
}

} // extern "C"
