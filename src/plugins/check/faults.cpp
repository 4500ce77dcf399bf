// Cases of plugin-check: what a kernel's fault does to its device. For plugins that have get_fault.
#include "plugins/check/test.h"

#include <array>
#include <cstring>

namespace gantry::plugin_check {

namespace {

/// In no process and on no device is memory here.
constexpr std::uint64_t kNowhere = 0x18;

void knows_of_none() {
  GANTRY_NEED(get_fault)
  const Device device;
  {
    const Memory memory(device, 64);
  }
  gantry_fault fault = {.size = sizeof fault};
  refused(subject.plugin->get_fault(device.handle(), &fault), {GANTRY_NOT_FOUND},
          "get_fault of a device that is not lost");
}

/// A device that a kernel's fault has ended. It is left to the end of the process.
struct Lost {
  Lost() {
    const auto arguments = words(kNowhere);
    const gantry_launch how = one_thread(arguments);
    refused(subject.plugin->launch(device.handle(), kernel, &how), {GANTRY_DEVICE_LOST},
            "launch of a kernel that writes to address 0x18");
  }

  const Device& device = *new Device;
  const Image& image = *new Image(device);
  std::int64_t* memory = (new Memory(device, 64))->words();
  gantry_kernel* kernel = image.kernel("check_fault");
};

void tells_the_fault() {
  GANTRY_NEED(get_fault)
  const Lost lost;
  gantry_fault fault = {.size = sizeof fault};
  GANTRY_DO(get_fault, lost.device.handle(), &fault);
  require(fault.size == sizeof fault, "get_fault changed the size of the structure");
  require(fault.kind == GANTRY_FAULT_ACCESS || fault.kind == GANTRY_FAULT_DESCRIBED,
          "get_fault says kind {}, expected GANTRY_FAULT_ACCESS", fault.kind);
  require(fault.address_known == 0 || fault.address == kNowhere,
          "get_fault says address {:#x}, expected {:#x}", fault.address, kNowhere);
  require(fault.kernel == nullptr || fault.kernel == lost.kernel, "get_fault names another kernel");
  require(fault.kernel_name == nullptr || std::strcmp(fault.kernel_name, "check_fault") == 0,
          "get_fault names the kernel '{}', expected 'check_fault'",
          fault.kernel_name == nullptr ? "" : fault.kernel_name);
  require(fault.kind != GANTRY_FAULT_DESCRIBED || fault.what != nullptr,
          "get_fault describes the fault with a null text");
}

void stays_lost() {
  GANTRY_NEED(get_fault)
  const Lost lost;
  gantry_device* const device = lost.device.handle();
  const gantry_plugin& plugin = *subject.plugin;
  for (int time = 0; time < 2; ++time) {
    const auto is_lost = [&](gantry_status status, const char* call) {
      refused(status, {GANTRY_DEVICE_LOST}, fmt::format("{} on a lost device", call));
    };
    std::int64_t value = 0;
    const auto arguments = words(lost.memory, lost.memory, 1);
    const gantry_launch how = one_thread(arguments);
    is_lost(plugin.copy_to_host(device, &value, lost.memory, sizeof value), "copy_to_host");
    is_lost(plugin.copy_to_device(device, lost.memory, &value, sizeof value), "copy_to_device");
    is_lost(plugin.launch(device, lost.kernel, &how), "launch");
    const gantry_allocation request = request_of(64);
    void* memory = nullptr;
    is_lost(plugin.allocate(device, &request, &memory), "allocate");
  }
}

void ends_queues() {
  GANTRY_NEED(get_fault)
  const Device& device = *new Device;
  const Queue& queue = *new Queue(device);
  const Image& image = *new Image(device);
  std::int64_t* const memory = (new Memory(device, 2 * sizeof(std::int64_t)))->words();
  device.set(memory, 1);
  constexpr std::int64_t kUntouched = -77;
  std::int64_t behind = kUntouched;
  queue.put_launch(image.kernel("check_fault"), words(kNowhere));
  // What follows may be taken or refused already; the first failure is what is said at the end.
  const gantry_status put =
      subject.plugin->queue_copy_to_host(queue.handle(), &behind, memory, sizeof behind);
  require(put == GANTRY_SUCCESS || put == GANTRY_DEVICE_LOST, "queue_copy_to_host returned {}",
          name_of(put));
  refused(subject.plugin->synchronize_queue(queue.handle()), {GANTRY_DEVICE_LOST},
          "synchronize_queue behind a kernel's fault");
  require(behind == kUntouched, "what was behind a failure in a queue happened");
}

void closes_lost_devices() {
  GANTRY_NEED(get_fault)
  const Lost lost;
  const auto may_be_lost = [&](gantry_status status, const char* call) {
    require(status == GANTRY_SUCCESS || status == GANTRY_DEVICE_LOST,
            "{} of a lost device returned {}: {}", call, name_of(status),
            subject.plugin->error_message());
  };
  may_be_lost(subject.plugin->release(lost.device.handle(), lost.memory), "release");
  may_be_lost(subject.plugin->destroy_image(lost.image.handle()), "destroy_image");
  may_be_lost(subject.plugin->close_device(lost.device.handle()), "close_device");
}

constexpr std::array kCases = {
    Case{"faults", "a device that is not lost has no fault", knows_of_none, true},
    Case{"faults", "a lost device tells its fault", tells_the_fault, true},
    Case{"faults", "a lost device stays lost", stays_lost, true},
    Case{"faults", "a fault ends what is behind it in the queue", ends_queues, true},
    Case{"faults", "a lost device is torn down", closes_lost_devices, true},
};

} // namespace

std::span<const Case> fault_cases() {
  return kCases;
}

} // namespace gantry::plugin_check
