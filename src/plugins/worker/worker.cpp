#include "plugins/worker/worker.h"

#include "base/result.h"
#include "base/system_limits.h"
#include "plugins/last_error.h"
#include "plugins/worker/futex.h"
#include "plugins/worker/kind.h"
#include "plugins/worker/process.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <thread>

#include <gantry/plugin.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gantry::worker {

namespace {

/// Of the memory that may be in use: so many times as many addresses, as a slot keeps its size, and
/// a part of it stays with free slots.
constexpr std::uint64_t kAddresses = 4;
constexpr std::uint64_t kKeptPart = 16;

/// How often a side looks before it waits in the system: some 20 microseconds, on a machine where
/// the other side can run meanwhile.
std::uint32_t spins() {
  constexpr std::uint32_t kSpins = 1000;
  return std::thread::hardware_concurrency() > 1 ? kSpins : 0;
}

std::uint64_t memory_of_machine() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t bytes_of(const DeviceOptions& options) {
  return options.memory != 0 ? options.memory / kPageSize * kPageSize
                             : memory_of_machine() / kPageSize * kPageSize;
}

} // namespace

Worker::Worker(Control& control, Arena memory, const WorkerSettings& settings, LifeLine life_line)
    : control_(control), life_line_(life_line), memory_(std::move(memory)),
      blocks_(memory_.in_program(),
              {.addresses = memory_.size(),
               .bytes = bytes_of(settings.options),
               .kept_bytes = bytes_of(settings.options) / kKeptPart},
              {.set_accessible =
                   [this](std::uint64_t first, std::uint64_t count, bool accessible) {
                     return post_change({first, count, accessible ? 1U : 0U});
                   },
               .discard = [this](std::uint64_t offset,
                                 std::uint64_t size) { memory_.discard(offset, size); }}) {
  if (settings.check_memory) {
    blocks_.poison_new_blocks();
  }
}

tl::expected<Worker*, std::string> Worker::start(const WorkerSettings& settings) {
  auto memory =
      GANTRY_TRY(Arena::make(bytes_of(settings.options) * kAddresses, settings.options.at));
  const int descriptor = make_memory_file("gantry-worker-control", sizeof(Control));
  void* const mapped = descriptor < 0 ? MAP_FAILED
                                      : mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE,
                                             MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) {
    const int error = errno;
    close(descriptor);
    return tl::unexpected(fmt::format("memory shared with a worker cannot be had: {}{}",
                                      std::strerror(error), remedy_for(error)));
  }
  madvise(mapped, sizeof(Control), MADV_DONTFORK);
  auto& control = *new (mapped) Control; // of zeros
  control.version = kProtocolVersion;
  control.openmp_number = settings.openmp_number;
  control.memory_begin = memory.begin();
  control.memory_size = memory.size();
  control.time_limit = settings.time_limit;
  control.program = getpid();
  control.spins = spins();
  control.emulated = foreign_cpu() == nullptr ? 0 : 1;
  control.full_teams = settings.options.full_teams ? 1 : 0;
  auto started = start_process({.control = descriptor, .memory = memory.descriptor()}, control,
                               settings.options.threads, settings.processors);
  close(descriptor);
  memory.close_file();
  if (!started) {
    munmap(mapped, sizeof(Control));
    return tl::unexpected(started.error());
  }
  return new Worker(control, std::move(memory), settings, *started);
}

Worker::~Worker() {
  life_line_.close();
  munmap(&control_, sizeof(Control));
}

std::int32_t Worker::end() {
  if (lost()) {
    return plugins::set_error(GANTRY_DEVICE_LOST, describe_loss(control_));
  }
  ChannelClient channel;
  GANTRY_STATUS_TRY(wait_for_channel(channel));
  // The worker does not answer: wait() returns because the process has ended.
  const std::int32_t status = channel.call(Operation::kEnd);
  return control_.fault.complete.load() == 0 ? std::int32_t{GANTRY_SUCCESS} : status;
}

bool Worker::post_change(const Change& change) {
  const std::uint64_t number = control_.changes_posted.load(std::memory_order_relaxed);
  if (number - control_.changes_made.load(std::memory_order_acquire) >= kChanges) {
    ChannelClient channel;
    if (wait_for_channel(channel) != GANTRY_SUCCESS) {
      return false; // the device is lost
    }
    const std::int32_t status = channel.call(Operation::kApplyChanges);
    give_back(channel);
    if (status != GANTRY_SUCCESS) {
      return false; // there is no place for it; the earlier ones stay, for when they can be made
    }
  }
  control_.changes[number % kChanges] = change;
  control_.changes_posted.store(number + 1, std::memory_order_release);
  return true;
}

std::int32_t Worker::take_channel(ChannelClient& channel) {
  constexpr std::size_t kMost = kChannels - 1;
  if (lost()) {
    return plugins::set_error(GANTRY_DEVICE_LOST, describe_loss(control_));
  }
  const std::lock_guard lock(mutex_);
  if (channels_in_use() >= kMost) {
    return plugins::report(GANTRY_FAILURE, "the device has no more than {} queues at once", kMost);
  }
  channel = next_channel();
  return GANTRY_SUCCESS;
}

std::int32_t Worker::wait_for_channel(ChannelClient& channel) {
  std::unique_lock lock(mutex_);
  while (channels_in_use() >= kChannels && !lost()) {
    returned_.wait_for(lock, kLossCheckInterval);
  }
  if (lost()) {
    return plugins::set_error(GANTRY_DEVICE_LOST, describe_loss(control_));
  }
  channel = next_channel();
  return GANTRY_SUCCESS;
}

ChannelClient Worker::next_channel() {
  if (!idle_.empty()) {
    const ChannelClient channel = idle_.back();
    idle_.pop_back();
    return channel;
  }
  const std::size_t number = channels_++;
  control_.channel_count.store(static_cast<std::uint32_t>(channels_));
  wake_all(control_.channel_count);
  return {control_, control_.channels[number]};
}

void Worker::give_back(ChannelClient channel) {
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(channel);
  }
  returned_.notify_one();
}

} // namespace gantry::worker
