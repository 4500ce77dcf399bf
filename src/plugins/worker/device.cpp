#include "plugins/worker/device.h"

#include "plugins/last_error.h"
#include "plugins/worker/kind.h"
#include "plugins/worker/process.h"

#include <thread>

#include <pthread.h>

namespace gantry::worker {

namespace {

struct Devices {
  std::mutex mutex;
  std::vector<std::unique_ptr<Device>> open; ///< indexed by the plugin's device number
};

Devices& devices() {
  static auto* const all = new Devices;
  return *all;
}

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

/// Changes what the worker will be started with. Several threads that open a device say the same,
/// the last ones when it is at work already.
template <typename Change>
void change_settings(std::int32_t number, Change change) {
  Device& device = device_of(number);
  const std::lock_guard lock(device.mutex);
  if (device.worker.load(std::memory_order_relaxed) == nullptr) {
    change(device.settings);
  }
}

} // namespace

Device& device_of(std::int32_t device) {
  Devices& all = devices();
  const std::lock_guard lock(all.mutex);
  return *all.open[static_cast<std::size_t>(device)];
}

std::int32_t enter(Device& device, Worker*& worker) {
  if (forked.load(std::memory_order_relaxed)) [[unlikely]] {
    return plugins::set_error(GANTRY_FAILURE, plugins::kForked);
  }
  worker = device.worker.load(std::memory_order_acquire);
  if (worker == nullptr) [[unlikely]] {
    if (const std::int32_t code = start(device, worker); code != GANTRY_SUCCESS) {
      return code;
    }
  }
  if (worker->lost()) [[unlikely]] {
    return plugins::set_error(GANTRY_DEVICE_LOST, describe_loss(worker->control()));
  }
  return GANTRY_SUCCESS;
}

} // namespace gantry::worker

using namespace gantry::worker;
using gantry::plugins::report;

extern "C" {

int32_t __tgt_rtl_init_device(int32_t device, int32_t openmp_number, const char* options) noexcept {
  const auto wanted = read_device_options(options);
  if (!wanted) {
    return report(GANTRY_INVALID_OPTION, "{}", wanted.error());
  }
  const auto command = worker_command();
  if (!command) {
    return report(GANTRY_FAILURE, "{}", command.error());
  }
  auto opened = std::make_unique<Device>();
  opened->index = device;
  opened->settings.openmp_number = openmp_number;
  opened->settings.options = *wanted;
  const gantry::ForeignCpu* const foreign = foreign_cpu();
  opened->description = fmt::format("a process of its own, {}, {} cores",
                                    foreign == nullptr ? "x86-64" : foreign->name,
                                    std::thread::hardware_concurrency());
  if (foreign != nullptr) {
    opened->description += " by QEMU";
  }
  if (wanted->threads != 0) {
    opened->description += fmt::format(", {} threads", wanted->threads);
  }
  if (wanted->full_teams) {
    opened->description += ", teams of as many threads as constructs name";
  }
  Devices& all = devices();
  const std::lock_guard lock(all.mutex);
  if (all.open.size() <= static_cast<std::size_t>(device)) {
    all.open.resize(static_cast<std::size_t>(device) + 1);
  }
  if (auto& place = all.open[static_cast<std::size_t>(device)]; place == nullptr) {
    place = std::move(opened);
  }
  return GANTRY_SUCCESS;
}

uint32_t __tgt_rtl_capabilities(int32_t /*device*/) noexcept {
  return GANTRY_CAPABILITY_QUEUES;
}

const char* __tgt_rtl_device_description(int32_t device) noexcept {
  return device_of(device).description.c_str();
}

void __tgt_rtl_set_time_limit(int32_t device, uint64_t milliseconds) noexcept {
  change_settings(device, [&](WorkerSettings& settings) { settings.time_limit = milliseconds; });
}

void __tgt_rtl_set_processors(int32_t device, const unsigned long* mask, uint64_t words) noexcept {
  change_settings(
      device, [&](WorkerSettings& settings) { settings.processors.assign(mask, mask + words); });
}

void __tgt_rtl_set_memory_check(int32_t device) noexcept {
  change_settings(device, [](WorkerSettings& settings) { settings.check_memory = true; });
}

} // extern "C"
