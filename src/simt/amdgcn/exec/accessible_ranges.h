// The accessible ranges of addresses that a host thread's code has come to: most accesses of an
// instruction are in one allocation, and those of a kernel in a few.
//
// A range is what was accessible when a work-group of the thread began, or later. What is freed
// while the work-group runs, as no right program does, is noticed from the thread's next work-group
// on.
#pragma once

#include "simt/memory/device_memory.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gantry::simt::amdgcn {

struct Instruction;

/// Of one host thread, which alone may use it.
class AccessibleRanges {
public:
  using Range = DeviceMemory::Range;

  /// Whether all of the bytes are in the range that the instruction, or one that shares its place,
  /// came to last.
  [[nodiscard]] bool contain(const Instruction* instruction, std::uint64_t address,
                             std::uint64_t size) const {
    return is_in(last_[place_of(instruction)], address, size);
  }
  /// Whether they are in any of the ranges, which then is the instruction's last one.
  [[nodiscard]] bool find(const Instruction* instruction, std::uint64_t address,
                          std::uint64_t size);
  /// Gives the instruction this range.
  void put(const Instruction* instruction, const Range& range) {
    last_[place_of(instruction)] = range;
  }
  /// An access to accessible memory that is in none of the ranges. The one that it is in is asked
  /// for and becomes the instruction's, unless that has been of little use of late.
  void missed(const DeviceMemory& memory, const Instruction* instruction, std::uint64_t address);

  /// Forgets all of them. With `all`, any address is in one.
  void reset(bool all);
  /// A work-group begins: forgets them if something has become inaccessible.
  void begin_group(const DeviceMemory& memory);

private:
  static constexpr std::size_t kPlaces = 64;
  static constexpr std::size_t kKnown = 16;
  static constexpr unsigned kMostMisses = 64;

  static bool is_in(const Range& range, std::uint64_t address, std::uint64_t size) {
    return size <= range.size && address - range.first <= range.size - size;
  }
  static std::size_t place_of(const Instruction* instruction) {
    return reinterpret_cast<std::uintptr_t>(instruction) / 128 % kPlaces;
  }

  std::array<Range, kPlaces> last_ = {};
  std::array<Range, kKnown> known_ = {};
  std::size_t next_ = 0; ///< the one that a new range replaces
  // Once there have been more ranges than are kept, one is asked for after so many misses.
  unsigned patience_ = 1;
  unsigned misses_left_ = 1;
  bool all_ = false;
  std::uint64_t removals_ = 0;
};

} // namespace gantry::simt::amdgcn
