// The program's end of a channel.
#pragma once

#include "plugins/worker/protocol.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gantry::worker {

/// Carries one operation at a time. One thread at a time. Functions with a status return
/// GANTRY_SUCCESS, the operation's error or GANTRY_DEVICE_LOST, with the message kept.
class ChannelClient {
public:
  /// Of no channel.
  ChannelClient() = default;
  /// Both outlive the client.
  ChannelClient(Control& control, Channel& channel) : control_(&control), channel_(&channel) {}

  /// Where arguments are put before an operation, and results are found behind it.
  Channel* operator->() const { return channel_; }
  void set_payload(std::span<const std::byte> bytes);
  void set_payload(std::string_view text) { set_payload(std::as_bytes(std::span(text))); }

  /// Begins an operation. The one before is finished.
  void post(Operation operation);
  /// False if wait() would not wait.
  [[nodiscard]] bool busy() const;
  /// Waits for the operation.
  std::int32_t wait();

  std::int32_t call(Operation operation) {
    post(operation);
    return wait();
  }
  /// Hands over bytes for the next operation, in pieces.
  std::int32_t append(std::span<const std::byte> bytes);

private:
  [[nodiscard]] bool finished() const {
    return channel_->finished.load(std::memory_order_acquire) ==
           channel_->posted.load(std::memory_order_relaxed);
  }

  Control* control_ = nullptr;
  Channel* channel_ = nullptr;
};

} // namespace gantry::worker
