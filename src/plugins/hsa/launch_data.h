// What a kernel's launch alone uses, the block of its arguments and private copies: memory of the
// host that the kernel reads, and that is used again after it.
#pragma once

#include "plugins/hsa/device.h"
#include "plugins/hsa/stream.h"

#include <cstddef>
#include <cstdint>

namespace gantry::hsa {

/// The memory of the launches in one stream. Used by one thread at a time. Functions with a status
/// return GANTRY_SUCCESS or an error, kept.
class LaunchData {
public:
  explicit LaunchData(Device& device) : device_(device) {}
  LaunchData(const LaunchData&) = delete;
  LaunchData& operator=(const LaunchData&) = delete;

  /// Room for the next launch. Waits until nothing uses what there was before.
  std::int32_t reserve(Stream& stream, std::size_t size, void** host, void** device_address);
  /// What the stream has got last may use it.
  void used(const Stream& stream) { last_ = stream.last(); }
  /// Frees it all; nothing uses it any more.
  std::int32_t release();

private:
  Device& device_;
  void* memory_ = nullptr;
  std::size_t capacity_ = 0;
  Stream::Ticket last_ = 0;
};

} // namespace gantry::hsa
