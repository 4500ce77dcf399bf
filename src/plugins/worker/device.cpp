#include "plugins/worker/device.h"

#include "plugins/last_error.h"
#include "plugins/worker/entries.h"
#include "plugins/worker/fault.h"
#include "plugins/worker/image.h"
#include "plugins/worker/kind.h"
#include "plugins/worker/process.h"

#include <span>
#include <thread>

#include <pthread.h>

namespace gantry::worker {

namespace {

/// This process is a copy of the one that started workers.
std::atomic<bool> forked{false};

void note_forks() {
  static const int once = pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
  (void)once;
}

std::int32_t start(Device& device, Worker*& worker) {
  const std::lock_guard lock(device.mutex);
  worker = device.worker.load(std::memory_order_relaxed);
  if (worker != nullptr) {
    return GANTRY_SUCCESS;
  }
  note_forks();
  auto started = Worker::start(device.settings);
  if (!started) {
    return plugins::report(GANTRY_FAILURE, "{}", started.error());
  }
  worker = *started;
  device.worker.store(worker, std::memory_order_release);
  return GANTRY_SUCCESS;
}

/// For people: "a process of its own, x86-64, 16 cores".
std::string describe(const DeviceOptions& options) {
  const ForeignCpu* const foreign = foreign_cpu();
  std::string description = fmt::format("a process of its own, {}, {} cores",
                                        foreign == nullptr ? "x86-64" : foreign->name,
                                        std::thread::hardware_concurrency());
  if (foreign != nullptr) {
    description += " by QEMU";
  }
  if (options.threads != 0) {
    description += fmt::format(", {} threads", options.threads);
  }
  if (options.full_teams) {
    description += ", teams of as many threads as constructs name";
  }
  return description;
}

} // namespace

std::int32_t enter(Device& device, Worker*& worker) {
  if (forked.load(std::memory_order_relaxed)) [[unlikely]] {
    return plugins::set_error(GANTRY_FAILURE, plugins::kForked);
  }
  worker = device.worker.load(std::memory_order_acquire);
  if (worker == nullptr) [[unlikely]] {
    GANTRY_STATUS_TRY(start(device, worker));
  }
  if (worker->lost()) [[unlikely]] {
    return plugins::set_error(GANTRY_DEVICE_LOST, describe_loss(worker->control()));
  }
  return GANTRY_SUCCESS;
}

namespace entries {

gantry_status count_devices(std::int32_t* count) noexcept {
  const auto command = worker_command();
  *count = command ? 1 : 0;
  return command ? gantry_status{GANTRY_SUCCESS}
                 : plugins::set_error(GANTRY_NOT_FOUND, command.error());
}

gantry_status open_device(std::int32_t /*index*/, const gantry_device_settings* settings,
                          gantry_device** device) noexcept {
  const auto options = read_device_options(settings->options);
  if (!options) {
    return plugins::report(GANTRY_INVALID_OPTION, "{}", options.error());
  }
  const auto command = worker_command();
  if (!command) {
    return plugins::report(GANTRY_FAILURE, "{}", command.error());
  }
  auto opened = std::make_unique<Device>();
  opened->settings = {
      .openmp_number = settings->openmp_number,
      .options = *options,
      .time_limit = settings->time_limit,
      .check_memory = settings->check_memory != 0,
      .processors = {settings->processors, settings->processors + settings->processor_words}};
  opened->description = describe(*options);
  *device = opened.release();
  return GANTRY_SUCCESS;
}

gantry_status close_device(gantry_device* device) noexcept {
  const std::unique_ptr<Device> closed(device);
  const std::unique_ptr<Worker> worker(device->worker.load(std::memory_order_acquire));
  if (worker == nullptr) {
    return GANTRY_SUCCESS;
  }
  if (forked.load(std::memory_order_relaxed)) {
    return plugins::set_error(GANTRY_FAILURE, plugins::kForked); // it is the parent's to end
  }
  return worker->end();
}

gantry_status get_properties(gantry_device* device, gantry_device_properties* properties) noexcept {
  plugins::fill_in(properties,
                   {.size = 0,
                    .capabilities = GANTRY_CAPABILITY_QUEUES | GANTRY_CAPABILITY_PLACED_MEMORY |
                                    GANTRY_CAPABILITY_CHOSEN_ADDRESS |
                                    GANTRY_CAPABILITY_CHECKED_MEMORY,
                    .description = device->description.c_str(),
                    .clock = "CLOCK_MONOTONIC"});
  return GANTRY_SUCCESS;
}

gantry_status set_function_map(gantry_device* device, const __omp_offloading_fptr_map_ty* table,
                               std::uint64_t count) noexcept {
  Worker* worker = nullptr;
  ChannelClient channel;
  GANTRY_STATUS_TRY(enter(*device, worker));
  GANTRY_STATUS_TRY(worker->wait_for_channel(channel));
  std::int32_t status = channel.append(std::as_bytes(std::span(table, count)));
  if (status == GANTRY_SUCCESS) {
    status = channel.call(Operation::kSetFunctions);
  }
  worker->give_back(channel);
  return status;
}

gantry_status get_fault(gantry_device* device, gantry_fault* result) noexcept {
  Worker* const worker = device->worker.load(std::memory_order_acquire);
  if (worker == nullptr || !worker->lost()) {
    return plugins::set_error(GANTRY_NOT_FOUND, "the device is not lost");
  }
  gantry_fault fault = {};
  fault.kind = GANTRY_FAULT_OTHER;
  const Fault& told = worker->control().fault;
  if (told.complete.load(std::memory_order_acquire) == 0) {
    plugins::fill_in(result, fault);
    return GANTRY_SUCCESS;
  }
  fault.kind = kind_of(told.kind);
  fault.value = told.value;
  fault.access = static_cast<std::int32_t>(told.access);
  fault.address_known = static_cast<std::int32_t>(told.known);
  fault.address = told.address;
  const std::lock_guard lock(device->mutex);
  for (gantry_image* const image : device->images) {
    if (told.kernel != 0 && fault.kernel == nullptr) {
      fault.kernel = image->kernel(told.kernel);
      fault.kernel_name = fault.kernel == nullptr ? nullptr : fault.kernel->name.c_str();
    }
    if (told.image != 0 && image->handle() == told.image) {
      fault.image = image->bytes().data();
      fault.image_size = image->bytes().size();
      fault.code = told.image_code;
    }
  }
  plugins::fill_in(result, fault);
  return GANTRY_SUCCESS;
}

} // namespace entries
} // namespace gantry::worker
