// Queues: a channel each. The worker does one thing of a queue at a time, and copies are the
// program's to make, so what comes behind a kernel waits for it: a copy to the program until the
// queue is synchronised, anything else at once.
#include "base/monotonic.h"
#include "plugins/cpu/team_hint.h"
#include "plugins/last_error.h"
#include "plugins/worker/entries.h"
#include "plugins/worker/image.h"
#include "plugins/worker/memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

using namespace gantry::worker;
using gantry::plugins::set_error;

struct gantry_queue {
  Device& device;
  Worker& worker;
  ChannelClient channel;
  bool launched = false; ///< a kernel, and nobody has waited for it
  struct Retrieval {
    void* host;
    const void* device_address;
    std::uint64_t size;
  };
  std::vector<Retrieval> later = {}; ///< behind the kernel
  std::int32_t code = GANTRY_SUCCESS;
  std::string message = {}; ///< of the first failure
  bool timed = false;
  std::vector<gantry_interval> times = {}; ///< of what was put in since they were read

  /// Makes a copy, and notes when.
  template <typename Copy>
  std::int32_t timed_copy(Copy&& copy) {
    if (!timed) [[likely]] {
      return copy();
    }
    gantry_interval interval = {.begin = gantry::monotonic_now(), .end = 0};
    const std::int32_t status = copy();
    interval.end = gantry::monotonic_now();
    times.push_back(status == GANTRY_SUCCESS ? interval : gantry_interval{});
    return status;
  }

  /// Waits for the kernel and makes the copies behind it. GANTRY_SUCCESS, or the first failure,
  /// which stays.
  std::int32_t settle() {
    Worker* same = nullptr;
    std::int32_t now = code == GANTRY_SUCCESS ? enter(device, same) : code;
    if (std::exchange(launched, false) && now != GANTRY_FAILURE) {
      now = channel.wait();
      if (timed) {
        times.push_back(now == GANTRY_SUCCESS
                            ? gantry_interval{channel->launch.begin, channel->launch.end}
                            : gantry_interval{});
      }
    }
    for (const auto& [host, device_address, size] : later) {
      now = timed_copy([&] {
        return now == GANTRY_SUCCESS ? copy_to_host(worker, host, device_address, size) : now;
      });
    }
    later.clear();
    if (code == GANTRY_SUCCESS && now != GANTRY_SUCCESS) {
      code = now;
      message = gantry::plugins::last_error();
    }
    return code;
  }

  /// settle(), after which the queue is as new.
  std::int32_t finish() {
    settle();
    return code == GANTRY_SUCCESS ? code : set_error(std::exchange(code, GANTRY_SUCCESS), message);
  }
};

namespace gantry::worker::entries {

gantry_status create_queue(gantry_device* device, gantry_queue** queue) noexcept {
  Worker* worker = nullptr;
  ChannelClient channel;
  GANTRY_STATUS_TRY(enter(*device, worker));
  GANTRY_STATUS_TRY(worker->take_channel(channel));
  *queue = new gantry_queue{.device = *device, .worker = *worker, .channel = channel};
  return GANTRY_SUCCESS;
}

gantry_status destroy_queue(gantry_queue* queue) noexcept {
  queue->worker.give_back(queue->channel);
  delete queue;
  return GANTRY_SUCCESS;
}

gantry_status queue_copy_to_device(gantry_queue* queue, void* device_address, const void* host,
                                   std::uint64_t bytes) noexcept {
  const std::int32_t code = queue->settle();
  return queue->timed_copy([&] {
    return code == GANTRY_SUCCESS
               ? worker::copy_to_device(queue->worker, device_address, host, bytes)
               : set_error(code, queue->message);
  });
}

gantry_status queue_copy_to_host(gantry_queue* queue, void* host, const void* device_address,
                                 std::uint64_t bytes) noexcept {
  if (queue->launched) {
    queue->later.push_back({host, device_address, bytes});
    return GANTRY_SUCCESS;
  }
  const std::int32_t code = queue->settle();
  return queue->timed_copy([&] {
    return code == GANTRY_SUCCESS ? worker::copy_to_host(queue->worker, host, device_address, bytes)
                                  : set_error(code, queue->message);
  });
}

gantry_status queue_launch(gantry_queue* queue, gantry_kernel* kernel,
                           const gantry_launch* launch) noexcept {
  constexpr std::uint32_t kMost = kPayload / sizeof(void*);
  if (launch->argument_count > kMost) {
    return plugins::report(GANTRY_FAILURE, "the kernel has {} arguments, and {} can be handed over",
                           launch->argument_count, kMost);
  }
  if (const std::int32_t code = queue->settle(); code != GANTRY_SUCCESS) {
    return set_error(code, queue->message);
  }
  // What the program has printed comes before what the kernel prints.
  std::fflush(stdout);
  ChannelClient& channel = queue->channel;
  channel->launch = {.kernel = kernel->handle,
                     .kind = launch->kind,
                     .num_teams = {},
                     .thread_limit = {},
                     .trip_count = launch->trip_count,
                     .dynamic_memory = launch->dynamic_memory,
                     .argument_count = launch->argument_count,
                     .timed = queue->timed ? 1U : 0U,
                     .begin = 0,
                     .end = 0};
  std::ranges::copy(launch->num_teams, channel->launch.num_teams);
  std::ranges::copy(launch->thread_limit, channel->launch.thread_limit);
  std::memcpy(channel->payload, launch->arguments, launch->argument_count * sizeof(void*));
  channel.post(Operation::kLaunch);
  queue->launched = true;
  return GANTRY_SUCCESS;
}

gantry_status synchronize_queue(gantry_queue* queue) noexcept {
  return queue->finish();
}

gantry_status query_queue(gantry_queue* queue, std::int32_t* done) noexcept {
  Worker* same = nullptr;
  const bool usable = enter(queue->device, same) == GANTRY_SUCCESS;
  *done = usable && queue->launched && queue->channel.busy() ? 0 : 1;
  return *done != 0 ? queue->finish() : GANTRY_SUCCESS;
}

gantry_status record_times(gantry_queue* queue, std::int32_t on) noexcept {
  queue->timed = on != 0;
  queue->times.clear();
  return GANTRY_SUCCESS;
}

gantry_status read_times(gantry_queue* queue, gantry_interval* times, std::size_t capacity,
                         std::size_t* count) noexcept {
  *count = queue->times.size();
  std::copy_n(queue->times.begin(), std::min(capacity, *count), times);
  queue->times.clear();
  return GANTRY_SUCCESS;
}

/// A queue for this launch alone: the runtime launches through queues.
gantry_status launch(gantry_device* device, gantry_kernel* kernel,
                     const gantry_launch* launch) noexcept {
  gantry_queue* queue = nullptr;
  GANTRY_STATUS_TRY(create_queue(device, &queue));
  std::int32_t code = queue_launch(queue, kernel, launch);
  if (code == GANTRY_SUCCESS) {
    code = synchronize_queue(queue);
  }
  destroy_queue(queue);
  return code;
}

const char* launch_hint(gantry_device* device, gantry_kernel* kernel,
                        const gantry_launch* launch) noexcept {
  const DeviceOptions& options = device->settings.options;
  return options.full_teams
             ? cpu::full_team_hint(kernel->image->bytes(), *launch)
             : cpu::team_hint(kernel->image->bytes(), *launch, options.threads, "worker");
}

} // namespace gantry::worker::entries
