// The ranges of addresses that a host thread's code has come to: each access in a loop looks at one
// before it asks the shadow (lower/warp_checks.cpp), because most go on in one allocation.
//
// A range is what was accessible when a block of the thread began or later. What is freed while the
// block runs, as no right program does, is noticed from the thread's next block on.
#pragma once

#include "simt/exec/warp/warp.h"
#include "simt/memory/device_memory.h"

#include <array>
#include <cstdint>

namespace gantry::simt::exec {

/// Of one host thread, which alone may use it.
class KnownRanges {
public:
  [[nodiscard]] const KnownRange* ranges() const { return ranges_.data(); }

  /// A block begins: forgets all if something has become inaccessible.
  void begin_block(const DeviceMemory& memory);
  /// An allowed access of `needed` bytes in each lane, which are not in range `number`: the range
  /// becomes the one that they are in, unless that has changed little of late.
  void missed(const DeviceMemory& memory, std::uint32_t number, LaneMask active,
              const std::uint64_t* addresses, std::uint32_t needed);

private:
  /// A range is looked for after so many accesses outside of the last one.
  struct Patience {
    std::uint16_t left = kLeast;
    std::uint16_t next = kLeast;
  };
  static constexpr std::uint16_t kLeast = 4;
  static constexpr std::uint16_t kMost = 64;

  std::array<KnownRange, kKnownRanges> ranges_ = {};
  std::array<Patience, kKnownRanges> patience_ = {};
  std::uint64_t removals_ = 0;
};

} // namespace gantry::simt::exec
