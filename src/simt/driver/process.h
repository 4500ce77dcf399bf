// The driver in this process: whether calls may be made, and the devices.
#pragma once

#include "gantry/cuda_driver.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace gantry::simt::driver {

class Device;

class Process {
public:
  [[nodiscard]] static Process& instance();

  /// cuInit.
  [[nodiscard]] CUresult initialise();
  /// Whether calls may be made: CUDA_ERROR_NOT_INITIALIZED before cuInit, and in a child process
  /// that was forked after it (its threads are gone); _DEINITIALIZED while the process ends.
  [[nodiscard]] CUresult ready() const {
    switch (state_.load(std::memory_order_acquire)) {
    case State::kReady:
      return CUDA_SUCCESS;
    case State::kEnded:
      return CUDA_ERROR_DEINITIALIZED;
    default:
      return CUDA_ERROR_NOT_INITIALIZED;
    }
  }
  void end() { state_.store(State::kEnded, std::memory_order_release); }

  [[nodiscard]] int device_count() const { return static_cast<int>(devices_.size()); }
  /// Null if there is none of that ordinal. Lives as long as the process.
  [[nodiscard]] Device* device(CUdevice ordinal) const;

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

private:
  enum class State : std::uint8_t { kUninitialised, kReady, kForked, kEnded };
  Process() = default;

  std::atomic<State> state_ = State::kUninitialised;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Device>> devices_;
};

} // namespace gantry::simt::driver
