// What ends a device: a fault that the runtime reports on a thread of its own.
#pragma once

#include "plugins/hsa/library.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace gantry::hsa {

/// Of one device. Any thread.
class Loss {
public:
  struct Cause {
    std::string what; ///< "the kernel executed a trap", for messages
    std::int32_t kind = GANTRY_FAULT_DESCRIBED;
    std::int32_t value = 0; ///< of GANTRY_FAULT_EXIT
    std::int32_t access = GANTRY_FAULT_ACCESS_UNKNOWN;
    std::uint64_t address = 0; ///< that was accessed
    bool address_known = false;
    const gantry_kernel* kernel = nullptr; ///< at work; null if that is not known
    std::string kernel_name;               ///< empty if it is not known
    std::string position;                  ///< "sum.cpp:9"; empty if it is not known
  };

  /// The first cause counts.
  void happen(Cause cause);
  [[nodiscard]] bool has_happened() const { return happened_.load(std::memory_order_acquire); }
  /// After it has happened: what it was, which does not change any more.
  [[nodiscard]] const Cause& cause() const { return cause_; }
  /// GANTRY_DEVICE_LOST, with its message kept.
  [[nodiscard]] std::int32_t refusal() const;

private:
  std::mutex mutex_;
  std::atomic<bool> happened_ = false;
  Cause cause_;
};

} // namespace gantry::hsa
