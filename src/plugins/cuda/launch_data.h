// What a kernel's launch alone uses, the block of its arguments and private copies: memory that the
// host writes before the launch, and that is used again after it.
#pragma once

#include "plugins/cuda/device.h"

#include <cstddef>
#include <cstdint>

namespace gantry::cuda {

/// The memory of the launches in one stream. Used by one thread at a time.
class LaunchData {
public:
  /// On an integrated device kernels use the memory that the host has written; on others it is
  /// copied.
  explicit LaunchData(const Device& device) : of_(device) {}
  LaunchData(const LaunchData&) = delete;
  LaunchData& operator=(const LaunchData&) = delete;

  /// Room for the next launch. Nothing in the stream uses what there was before.
  std::int32_t reserve(CUstream stream, std::size_t size, void** host, void** device_address);
  /// Puts a copy of what was written since into the stream, if the device needs one.
  std::int32_t put_copy(CUstream stream) {
    return written_ && !of_.integrated ? copy(stream) : std::int32_t{GANTRY_SUCCESS};
  }
  /// Frees it all, in the device's context; nothing uses it any more.
  std::int32_t release();

private:
  std::int32_t grow(CUstream stream, std::size_t size);
  std::int32_t copy(CUstream stream);

  const Device& of_;
  std::byte* host_ = nullptr; ///< pinned
  CUdeviceptr device_ = 0;    ///< the same memory on integrated devices
  std::size_t capacity_ = 0;
  std::size_t size_ = 0; ///< of the room asked for last
  bool written_ = false; ///< since the last copy
};

} // namespace gantry::cuda
