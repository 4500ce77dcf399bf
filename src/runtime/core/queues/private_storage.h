// Storage that one launch alone uses: its private copies and the block of its arguments
// (OpenMP 5.2, section 5.4).
#pragma once

#include "base/result.h"
#include "runtime/core/devices/plugin.h"
#include "runtime/core/queues/queue.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gantry::core {

/// In one piece. One launch's; freed with it.
class PrivateStorage {
public:
  explicit PrivateStorage(const PluginDevice& device) : device_(device) {}
  PrivateStorage(const PrivateStorage&) = delete;
  PrivateStorage& operator=(const PrivateStorage&) = delete;
  ~PrivateStorage();

  /// Makes room for `size` > 0 bytes, once; the launch comes into `queue`.
  [[nodiscard]] Status reserve(std::uint64_t size, Queue& queue);

  /// The first byte on the device.
  [[nodiscard]] std::uintptr_t begin() const { return begin_; }
  /// 0 where nothing was reserved.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Where the host writes what the kernel finds there; null if that has to be copied.
  [[nodiscard]] std::byte* host() const { return host_; }

  /// Room for `size` bytes on the host, aligned as words, which stay as long as this does: from
  /// where they are copied.
  [[nodiscard]] std::byte* stage(std::uint64_t size) {
    staged_.resize(size / sizeof(std::uint64_t) + 1);
    return reinterpret_cast<std::byte*>(staged_.data());
  }

private:
  const PluginDevice& device_;
  std::uintptr_t begin_ = 0;
  std::uint64_t size_ = 0;
  std::byte* host_ = nullptr;
  void* allocation_ = nullptr;
  /// The construct whose memory it is, if the end of that is to be told.
  const Construct* told_ = nullptr;
  alignas(64) std::byte inline_[512]; ///< for devices that can use the host's memory
  std::vector<std::uint64_t> staged_;
};

} // namespace gantry::core
