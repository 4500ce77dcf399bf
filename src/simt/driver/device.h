// A simulated device: what it says of itself, how much memory is left, its primary context.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/host/settings.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace gantry::simt::driver {

class Context;
class MemoryPool;

/// What one multiprocessor of a compute capability can hold.
struct MultiprocessorLimits {
  unsigned threads = 0;
  unsigned blocks = 0;
  unsigned shared_bytes = 0;
  unsigned shared_bytes_of_block = 0; ///< with the function attribute that asks for it
};

/// All members may be called from any thread.
class Device {
public:
  static constexpr unsigned kThreadsOfBlock = 1024;
  static constexpr unsigned kBlockDim[3] = {1024, 1024, 64};
  static constexpr unsigned kGridDim[3] = {0x7FFFFFFF, 65535, 65535};
  static constexpr unsigned kSharedOfBlock = 48 << 10; ///< without asking
  static constexpr unsigned kRegisters = 65536;        ///< of a block, and of a multiprocessor
  static constexpr unsigned kWarpSize = 32;
  static constexpr int kClockKilohertz = 1'000'000; ///< %clock64 counts nanoseconds
  static constexpr std::size_t kPitch = 512;        ///< that rows are aligned to

  Device(int ordinal, const Settings& settings);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] int ordinal() const { return ordinal_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] CUuuid uuid() const;
  [[nodiscard]] int pci_bus() const { return ordinal_ + 1; }
  [[nodiscard]] unsigned major() const { return major_; }
  [[nodiscard]] unsigned minor() const { return minor_; }
  [[nodiscard]] unsigned multiprocessors() const { return multiprocessors_; }
  [[nodiscard]] const MultiprocessorLimits& limits() const { return limits_; }
  /// Nothing for numbers that are no attributes.
  [[nodiscard]] std::optional<int> attribute(CUdevice_attribute attribute) const;

  [[nodiscard]] std::uint64_t total_memory() const { return total_memory_; }
  [[nodiscard]] std::uint64_t used_memory() const { return used_memory_.load(); }
  /// Counts memory as used; false if there is not so much left.
  [[nodiscard]] bool take_memory(std::uint64_t bytes);
  void give_memory(std::uint64_t bytes) { used_memory_.fetch_sub(bytes); }

  /// The primary context, made if need be; each call is to be followed by one of release_primary().
  [[nodiscard]] std::shared_ptr<Context> retain_primary();
  /// False if nobody holds it.
  [[nodiscard]] bool release_primary();
  /// Ends the primary context, whoever holds it.
  void reset_primary();
  struct PrimaryState {
    unsigned flags = 0;
    bool active = false;
  };
  [[nodiscard]] PrimaryState primary_state() const;
  void set_primary_flags(unsigned flags);

  /// The pool that the device has from the start.
  [[nodiscard]] const std::shared_ptr<MemoryPool>& default_pool() const { return default_pool_; }
  [[nodiscard]] std::shared_ptr<MemoryPool> pool() const;
  void set_pool(std::shared_ptr<MemoryPool> pool);

private:
  const int ordinal_;
  const unsigned major_;
  const unsigned minor_;
  const unsigned multiprocessors_;
  const MultiprocessorLimits limits_;
  const std::string name_;
  const std::uint64_t total_memory_;
  std::atomic<std::uint64_t> used_memory_ = 0;

  mutable std::mutex mutex_;
  std::shared_ptr<Context> primary_;
  std::uint64_t primary_holders_ = 0;
  unsigned primary_flags_ = 0;
  std::shared_ptr<MemoryPool> default_pool_;
  std::shared_ptr<MemoryPool> pool_;
};

} // namespace gantry::simt::driver
