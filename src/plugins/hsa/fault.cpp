#include "plugins/hsa/fault.h"

#include "plugins/gpu/simt_fault.h"
#include "plugins/hsa/entries.h"
#include "plugins/hsa/image.h"

#include <algorithm>

namespace gantry::hsa {

void Loss::happen(Cause cause) {
  const std::lock_guard lock(mutex_);
  if (!happened_.load(std::memory_order_relaxed)) {
    cause_ = std::move(cause);
    happened_.store(true, std::memory_order_release);
  }
}

std::int32_t Loss::refusal() const {
  return report(GANTRY_DEVICE_LOST, "the work on the device failed: {}{}", cause_.what,
                remedy_for_faults());
}

namespace {

/// The devices that are open. Leaked, because the runtime's threads go on while the process ends.
struct OpenDevices {
  std::mutex mutex; ///< for all below
  std::vector<Device*> all;
  bool has_handler = false;
};
OpenDevices& open_devices() {
  static auto* const devices = new OpenDevices;
  return *devices;
}

/// What the executor says of a fault, which is more than events and statuses do.
void describe(const Device& device, Loss::Cause& cause) {
  gantry_simt_fault fault = {};
  if (library().get_fault == nullptr ||
      library().get_fault(device.agent, &fault) != HSA_STATUS_SUCCESS) {
    return;
  }
  cause.what = fault.what;
  cause.kind = gpu::kind_of(fault);
  cause.access = gpu::access_of(fault);
  cause.address = fault.address;
  cause.address_known = fault.access != GANTRY_SIMT_FAULT_NO_ADDRESS;
  cause.kernel_name = fault.kernel;
  cause.position = fault.position;
}

void lose(Device& device, Loss::Cause cause, const hsa_queue_t* queue) {
  describe(device, cause);
  if (const gantry_kernel* const kernel = device.hardware.kernel_at_work(queue)) {
    cause.kernel = kernel;
    cause.kernel_name = kernel->name;
  }
  device.loss.happen(std::move(cause));
}

hsa_status_t take_event(const hsa_amd_event_t* event, void* /*data*/) {
  if (event->event_type != HSA_AMD_GPU_MEMORY_FAULT_EVENT) {
    return HSA_STATUS_SUCCESS;
  }
  const hsa_amd_gpu_memory_fault_info_t& fault = event->memory_fault;
  const bool read_only = (fault.fault_reason_mask & HSA_AMD_MEMORY_FAULT_READ_ONLY) != 0;
  OpenDevices& devices = open_devices();
  const std::lock_guard lock(devices.mutex);
  for (Device* const device : devices.all) {
    if (device->agent.handle == fault.agent.handle) {
      lose(*device,
           {.what = fmt::format("a kernel accessed the address {:#x}, which the device cannot{}",
                                fault.virtual_address, read_only ? " write to" : ""),
            .kind = GANTRY_FAULT_ACCESS,
            .access = read_only ? GANTRY_FAULT_ACCESS_WRITE : GANTRY_FAULT_ACCESS_UNKNOWN,
            .address = fault.virtual_address,
            .address_known = true},
           nullptr);
    }
  }
  // Without this answer AMD's runtime ends the process.
  return HSA_STATUS_SUCCESS;
}

/// What stopped a queue, as far as the status says it.
Loss::Cause cause_of(hsa_status_t status) {
  switch (static_cast<int>(status)) {
  case HSA_STATUS_ERROR_EXCEPTION:
    return {.what = "a kernel executed a trap, as abort() and failed assertions do"};
  case HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION:
    return {.what = "a kernel executed an instruction that the GPU does not have",
            .kind = GANTRY_FAULT_INSTRUCTION};
  case HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION:
    return {.what = "a kernel accessed memory beyond what its threads have",
            .kind = GANTRY_FAULT_ACCESS};
  case HSA_STATUS_ERROR_MEMORY_FAULT:
    return {.what = "a kernel accessed memory that the device cannot", .kind = GANTRY_FAULT_ACCESS};
  case HSA_STATUS_ERROR_OUT_OF_RESOURCES:
    return {.what = "the GPU has no memory for the stacks of a kernel's threads"};
  case HSA_STATUS_ERROR_INVALID_ISA:
    return {.what = "a kernel's code is not for this GPU"};
  default:
    return {.what = fmt::format("the HSA runtime stopped a queue: {}", text_of(status))};
  }
}

} // namespace

void watch_faults(Device& device) {
  OpenDevices& devices = open_devices();
  bool first = false;
  {
    const std::lock_guard lock(devices.mutex);
    devices.all.push_back(&device);
    first = !std::exchange(devices.has_handler, true);
  }
  if (first) {
    // Refused where the program has a handler of its own; then the runtime's message says it.
    (void)library().hsa_amd_register_system_event_handler(take_event, nullptr);
  }
}

void watch_no_more(Device& device) {
  if (is_forked()) {
    return; // a thread that is not here may have the lock
  }
  OpenDevices& devices = open_devices();
  const std::lock_guard lock(devices.mutex);
  std::erase(devices.all, &device);
}

void queue_failed(Device& device, hsa_status_t status, const hsa_queue_t* queue) {
  lose(device, cause_of(status), queue);
}

gantry_status entries::get_fault(gantry_device* device, gantry_fault* fault) noexcept {
  if (!device->loss.has_happened()) {
    return report(GANTRY_NOT_FOUND, "the device is not lost");
  }
  const Loss::Cause& cause = device->loss.cause();
  plugins::fill_in(
      fault, {
                 .size = 0,
                 .kind = cause.kind,
                 .value = cause.value,
                 .access = cause.access,
                 .address_known = cause.address_known ? 1 : 0,
                 .address = cause.address,
                 .kernel = cause.kernel,
                 .kernel_name = cause.kernel_name.empty() ? nullptr : cause.kernel_name.c_str(),
                 .image = nullptr,
                 .image_size = 0,
                 .code = 0,
                 .position = cause.position.empty() ? nullptr : cause.position.c_str(),
                 .what = cause.kind == GANTRY_FAULT_DESCRIBED ? cause.what.c_str() : nullptr,
             });
  return GANTRY_SUCCESS;
}

} // namespace gantry::hsa
