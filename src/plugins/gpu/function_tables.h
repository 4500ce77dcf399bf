// Functions called by pointer: the tables that device code translates with
// (src/device/gpu/indirect.cpp). A table's elements stand behind one that holds their number.
#pragma once

#include "plugins/gpu/memory_pool.h"

#include <atomic>
#include <cstdint>
#include <vector>

#include <gantry/plugin.h>

namespace gantry::gpu {

/// Those of one device: the newest that the program has, the one on the device, and those before
/// it, which kernels may be reading. With the device's lock held, except waits(). Functions with a
/// status return GANTRY_SUCCESS or an error, kept.
class FunctionTables {
public:
  using Element = __omp_offloading_fptr_map_ty;

  /// What a device does for them.
  class Device {
  public:
    virtual ~Device() = default;
    /// Device memory with these bytes.
    virtual std::int32_t place(const void* bytes, std::size_t size, DeviceAddress& address) = 0;
    virtual std::int32_t free(DeviceAddress address) = 0;
    /// Tells the images where the table is; kernels that are launched from then on have it.
    virtual std::int32_t publish() = 0;
    /// Whether all that was launched before is done.
    virtual bool is_idle() = 0;
  };

  /// From now on the device is to have this table.
  void replace(const Element* table, std::uint64_t count);
  /// Whether the device has an older one. Any thread, without the lock.
  [[nodiscard]] bool waits() const { return waits_.load(std::memory_order_acquire); }
  /// Makes the table that waits the device's.
  std::int32_t place(Device& device);
  /// Frees all tables; no kernel reads them any more.
  std::int32_t free(Device& device);

  /// The first element on the device; 0 if there is no table.
  [[nodiscard]] DeviceAddress address() const { return address_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Of those that are not in use any more, as far as is known.
  [[nodiscard]] std::size_t replaced() const { return replaced_.size(); }

private:
  std::atomic<bool> waits_ = false;
  DeviceAddress address_ = 0;
  std::uint64_t count_ = 0;
  std::vector<DeviceAddress> replaced_;
  std::vector<Element> waiting_; ///< as the device is to have it; empty if it has it
};

} // namespace gantry::gpu
