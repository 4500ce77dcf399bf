#include "plugins/worker/channel_client.h"

#include "plugins/last_error.h"
#include "plugins/worker/fault.h"
#include "plugins/worker/futex.h"

#include <algorithm>
#include <cstring>

#include <gantry/plugin.h>

namespace gantry::worker {

void ChannelClient::set_payload(std::span<const std::byte> bytes) {
  channel_->payload_size = std::min(bytes.size(), kPayload);
  std::memcpy(channel_->payload, bytes.data(), channel_->payload_size);
}

void ChannelClient::post(Operation operation) {
  channel_->operation = operation;
  channel_->posted.fetch_add(1);
  if (channel_->worker_sleeps.load() != 0) {
    wake_all(channel_->posted);
  }
}

bool ChannelClient::busy() const {
  return !finished() && !is_lost(*control_);
}

std::int32_t ChannelClient::wait() {
  const std::uint32_t number = channel_->posted.load(std::memory_order_relaxed);
  while (!spin_until(channel_->finished, number, control_->spins)) {
    if (is_lost(*control_) && !finished()) {
      return plugins::set_error(GANTRY_DEVICE_LOST, describe_loss(*control_));
    }
    channel_->program_sleeps.store(1);
    wait_in_system(channel_->finished, number - 1, kLossCheckInterval);
    channel_->program_sleeps.store(0);
    if (control_->emulated != 0) {
      wake_all(channel_->posted); // again: under QEMU the first call may have woken nobody
    }
  }
  if (channel_->code == GANTRY_SUCCESS) [[likely]] {
    return GANTRY_SUCCESS;
  }
  return plugins::set_error(channel_->code,
                            {reinterpret_cast<const char*>(channel_->payload),
                             std::min<std::uint64_t>(channel_->payload_size, kPayload)});
}

std::int32_t ChannelClient::append(std::span<const std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size(); done += kPayload) {
    set_payload(bytes.subspan(done));
    GANTRY_STATUS_TRY(call(Operation::kAppend));
  }
  return GANTRY_SUCCESS;
}

} // namespace gantry::worker
