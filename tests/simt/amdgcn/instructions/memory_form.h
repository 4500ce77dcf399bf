// Accesses to memory: what each instruction does with the bytes at an address, and how addresses
// are written.
#pragma once

#include "operand.h"

#include <cstdint>
#include <span>

namespace gantry::simt::amdgcn {

/// An access by flat_, global_, scratch_ or buffer_ instructions, named without that.
struct MemoryForm {
  enum class Kind : std::uint8_t { kLoad, kStore, kAtomic };
  const char* name;
  Kind kind = Kind::kLoad;
  unsigned bytes = 4;     ///< in memory
  bool is_signed = false; ///< a small load extends its sign
  /// Of what is smaller than a register: -1 if it is the whole register, or the half that it is,
  /// of which a load leaves the other one.
  int half = -1;
  /// Of an atomic operation: the new value, of the old one and the data; compare and swap has the
  /// value to compare behind the data.
  std::uint64_t (*changed)(std::uint64_t old, std::uint64_t data, std::uint64_t compared) = nullptr;
  bool compares = false;
  bool is_floating = false; ///< a result that is no number is any NaN
};

[[nodiscard]] std::span<const MemoryForm> memory_forms();

/// LDS's forms have the same names in three ways: with one address, with two, and exchanges.
struct SharedForm {
  MemoryForm access;    ///< named "ds_read_b32" and so on
  unsigned unit = 0;    ///< of two offsets: in bytes; 0 is one offset
  bool returns = false; ///< of an atomic operation
  bool compare_first = false;
};
[[nodiscard]] std::span<const SharedForm> shared_forms();

} // namespace gantry::simt::amdgcn
