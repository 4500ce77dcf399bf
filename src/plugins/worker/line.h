// The program's end of a channel.
#pragma once

#include "plugins/worker/protocol.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gantry::worker {

/// Carries one operation at a time. One thread at a time.
class Line {
public:
  /// Both outlive the line.
  Line(Control& control, Channel& channel) : control_(&control), channel_(&channel) {}

  [[nodiscard]] std::uint64_t& word(std::size_t i) { return channel_->words[i]; }
  [[nodiscard]] LaunchShape& launch() { return channel_->launch; }
  [[nodiscard]] std::byte* payload() { return channel_->payload; }
  void set_payload(std::string_view text);
  void set_payload_size(std::uint64_t size) { channel_->payload_size = size; }

  /// Begins an operation. The one before is finished.
  void post(Operation operation);
  /// False if wait() would not wait.
  [[nodiscard]] bool busy() const;
  /// Waits for the operation: GANTRY_SUCCESS, its error or GANTRY_DEVICE_LOST, kept.
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

  Control* control_;
  Channel* channel_;
};

} // namespace gantry::worker
