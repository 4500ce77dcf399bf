// Pools of memory for allocations in the order of streams. Nothing is kept in a pool here: memory
// that is freed goes back to the device at once, so a pool is a count, a limit and its attributes.
#pragma once

#include "gantry/cuda_driver.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace gantry::simt::driver {

class Device;

class MemoryPool {
public:
  /// With its handle. `most_bytes` 0: as much as the device has.
  [[nodiscard]] static std::shared_ptr<MemoryPool> create(Device& device, std::uint64_t most_bytes);
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  [[nodiscard]] CUmemoryPool handle() const { return handle_; }
  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }
  [[nodiscard]] std::uint64_t used() const { return used_.load(); }

  void count(std::uint64_t bytes);
  void discount(std::uint64_t bytes) { used_.fetch_sub(bytes); }

  /// `value` is an int for the attributes of reuse, an unsigned 64-bit number for the others.
  [[nodiscard]] CUresult get(CUmemPool_attribute attribute, void* value) const;
  [[nodiscard]] CUresult set(CUmemPool_attribute attribute, const void* value);

private:
  MemoryPool(Device& device, std::uint64_t most_bytes);

  Device& device_;
  const std::uint64_t most_bytes_;
  CUmemoryPool handle_ = nullptr; ///< set before anybody else knows the pool
  std::atomic<std::uint64_t> used_ = 0;
  std::atomic<std::uint64_t> used_high_ = 0;
  std::atomic<std::uint64_t> release_threshold_ = 0;
  std::array<std::atomic<int>, 3> reuse_ = {1, 1, 1};
};

} // namespace gantry::simt::driver
