// The device of a target region under GANTRY_SPREAD (core/runtime/spreading.h).
#pragma once

#include "runtime/core/runtime/runtime.h"
#include "runtime/core/runtime/spreading.h"

namespace gantry::abi::openmp {

/// A target construct as far as the choice of its device needs it.
struct SpreadRegion {
  core::Device& device; ///< as the construct or the default device has it
  /// There is no device clause, and the default device is `default_device` of the thread.
  bool names_no_device = false;
  std::int64_t default_device = 0;
  const void* host_address = nullptr;
};

/// The device that a region is to run on, where it is at work as long as `placement` is there.
[[nodiscard]] inline core::Device& place(core::Placement& placement, const SpreadRegion& region,
                                         core::Items items) {
  core::Runtime& runtime = core::Runtime::instance();
  core::Spreading& spreading = core::Spreading::instance();
  // A program that sets the default device has chosen.
  const bool is_initial = region.default_device == core::Runtime::kDefaultDevice ||
                          region.default_device == runtime.initial_default_device();
  if (region.names_no_device && is_initial) {
    return spreading.choose(placement, region.device, region.host_address, items,
                            runtime.loaded_devices(),
                            core::spread_mode.load(std::memory_order_relaxed));
  }
  spreading.keep(placement, region.device, items, core::Spreading::Of::kRegion);
  return region.device;
}

} // namespace gantry::abi::openmp
