#include "plugins/worker/line.h"

#include "plugins/last_error.h"
#include "plugins/worker/fault.h"
#include "plugins/worker/futex.h"

#include <algorithm>
#include <cstring>

#include <gantry/plugin.h>

namespace gantry::worker {

void Line::set_payload(std::string_view text) {
  channel_->payload_size = std::min(text.size(), kPayload);
  std::memcpy(channel_->payload, text.data(), channel_->payload_size);
}

void Line::post(Operation operation) {
  channel_->operation = operation;
  channel_->posted.fetch_add(1);
  if (channel_->worker_sleeps.load() != 0) {
    wake_all(channel_->posted);
  }
}

bool Line::busy() const {
  return !finished() && !is_lost(*control_);
}

std::int32_t Line::wait() {
  // A worker that is killed wakes nobody.
  constexpr std::chrono::milliseconds kLook(20);
  const std::uint32_t number = channel_->posted.load(std::memory_order_relaxed);
  while (!spin_until(channel_->finished, number, control_->spins)) {
    if (is_lost(*control_) && !finished()) {
      return plugins::set_error(GANTRY_DEVICE_LOST, describe_loss(*control_));
    }
    channel_->program_sleeps.store(1);
    wait_in_system(channel_->finished, number - 1, kLook);
    channel_->program_sleeps.store(0);
    if (control_->emulated != 0) {
      wake_all(channel_->posted); // whatever an emulator has made of the first call
    }
  }
  if (channel_->code == GANTRY_SUCCESS) [[likely]] {
    return GANTRY_SUCCESS;
  }
  return plugins::set_error(channel_->code,
                            {reinterpret_cast<const char*>(channel_->payload),
                             std::min<std::uint64_t>(channel_->payload_size, kPayload)});
}

std::int32_t Line::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), kPayload);
    std::memcpy(channel_->payload, bytes.data(), count);
    channel_->payload_size = count;
    if (const std::int32_t code = call(Operation::kAppend); code != GANTRY_SUCCESS) {
      return code;
    }
    bytes = bytes.subspan(count);
  }
  return GANTRY_SUCCESS;
}

} // namespace gantry::worker
