// What device code prints (gantry_output in gantry/gpu_image.h): a buffer of each device that the
// host empties while it waits and when kernels are done. Not that of GCC's code: see gcc.h.
#pragma once

#include "plugins/gpu/memory_pool.h"
#include "plugins/gpu/staging.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include <gantry/gpu_image.h>

namespace gantry::hsa {

/// Any thread. Functions with a status return GANTRY_SUCCESS or an error, kept.
class DeviceOutput {
public:
  explicit DeviceOutput(gpu::PinnedSource& memory) : memory_(memory) {}
  DeviceOutput(const DeviceOutput&) = delete;
  DeviceOutput& operator=(const DeviceOutput&) = delete;

  /// What images are told; the buffer is made at the first need.
  std::int32_t get_address(gpu::DeviceAddress& address);

  /// What the device does.
  enum class State : std::uint8_t {
    kAtWork,
    kDone, ///< with something that was waited for
    kLost, ///< what it has not completed it will not
  };
  /// Writes the messages that are complete to stdout.
  void print(State state) {
    gantry_output* const buffer = buffer_.load(std::memory_order_acquire);
    if (buffer != nullptr &&
        (std::atomic_ref(buffer->reserved).load(std::memory_order_relaxed) != 0 ||
         std::atomic_ref(buffer->lost).load(std::memory_order_relaxed) != 0)) {
      print(*buffer, state);
    }
  }

  /// Nothing on the device uses the buffer any more.
  std::int32_t free();

private:
  void print(gantry_output& buffer, State state);
  /// Takes messages from `read_` on out of the buffer, until there is much text.
  std::string take(gantry_output& buffer, State state);

  gpu::PinnedSource& memory_;
  std::atomic<gantry_output*> buffer_ = nullptr;
  std::mutex mutex_;       ///< for all below, and of who reads the buffer
  std::uint64_t read_ = 0; ///< bytes of records that were taken
  bool at_end_ = false;    ///< no record follows those, because there was no room
};

} // namespace gantry::hsa
