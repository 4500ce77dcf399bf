// The accessible ranges of addresses that a host thread's code has come to, one for some of its
// instructions each: most accesses of an instruction are in one allocation, and those of a loop in
// several.
//
// A range is what was accessible when a work-group of the thread began, or later. What is freed
// while the work-group runs, as no right program does, is noticed from the thread's next work-group
// on.
#pragma once

#include "simt/exec/memory/device_memory.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gantry::simt::amdgcn {

struct Instruction;

/// Of one host thread, which alone may use it.
class AccessibleRanges {
public:
  using Range = exec::DeviceMemory::Range;

  /// Whether all of the bytes are in the range that the instruction has.
  [[nodiscard]] bool contain(const Instruction* instruction, std::uint64_t address,
                             std::uint64_t size) const {
    return is_in(slots_[slot_of(instruction)].range, address, size);
  }
  /// Gives the instruction another one's range, if the bytes are in it.
  [[nodiscard]] bool find(const Instruction* instruction, std::uint64_t address,
                          std::uint64_t size);
  /// Gives the instruction this range.
  void put(const Instruction* instruction, const Range& range) {
    slots_[slot_of(instruction)].range = range;
  }
  /// An access of the instruction to accessible memory that is in none of the ranges: the one that
  /// it is in becomes the instruction's, unless such have been of little use of late.
  void missed(const exec::DeviceMemory& memory, const Instruction* instruction,
              std::uint64_t address);

  /// Forgets all of them. With `all`, any address is in one.
  void reset(bool all);
  /// A work-group begins: forgets them if something has become inaccessible.
  void begin_group(const exec::DeviceMemory& memory);

private:
  struct Slot {
    Range range;
    // A range is asked for after so many accesses that were in none.
    std::uint16_t left = 1;
    std::uint16_t next = 1;
  };
  static constexpr std::size_t kSlots = 16;
  static constexpr std::uint16_t kMostMisses = 64;

  static bool is_in(const Range& range, std::uint64_t address, std::uint64_t size) {
    return size <= range.size && address - range.first <= range.size - size;
  }
  static std::size_t slot_of(const Instruction* instruction) {
    return reinterpret_cast<std::uintptr_t>(instruction) / 128 % kSlots;
  }

  std::array<Slot, kSlots> slots_ = {};
  bool all_ = false;
  std::uint64_t removals_ = 0;
};

} // namespace gantry::simt::amdgcn
