// Accesses of lanes to memory: where an address is, and whether the lane may go there.
#pragma once

#include "simt/amdgcn/exec/operands.h"

#include <cstdint>

namespace gantry::simt::amdgcn {

/// What the addresses of an access are.
enum class Space : std::uint8_t {
  kGlobal,  ///< addresses of the host
  kFlat,    ///< likewise, or in one of the two apertures
  kPrivate, ///< offsets in a lane's private memory
  kShared,  ///< offsets in LDS
};

enum class AccessKind : std::uint8_t { kLoad, kStore, kAtomic };

/// The addresses of an instruction's access in the lanes of `active`. Space::kPrivate with offsets
/// out of every lane's reach if a buffer or FLAT_SCRATCH is not the wave's private memory.
[[nodiscard]] Space addresses_of(const Wave& wave, const Instruction& instruction, LaneMask active,
                                 u64 (&addresses)[kLanes]);

/// Whether the wave may access global memory; asks beyond the place's known range.
[[nodiscard]] bool may_access(Wave& wave, u64 address, u32 size, AccessKind kind);

/// Sets the wave's fault: an access of one lane that is not allowed. `address` is as the space has
/// it.
void report_access(Wave& wave, const Instruction& instruction, unsigned lane, Space space,
                   u64 address, u32 size, AccessKind kind);
/// Likewise an atomic operation at an address that is not a multiple of its size.
void report_misaligned(Wave& wave, const Instruction& instruction, unsigned lane, u64 address,
                       u32 size);

/// Where the bytes are on the host; null if they are not all in one place, which is so in private
/// memory beyond a dword, or if they may not be accessed.
inline std::byte* place_of(Wave& wave, Space space, unsigned lane, u64 address, u32 size,
                           AccessKind kind) {
  if (space == Space::kFlat) {
    if (address >> 32 == kSharedAperture >> 32) {
      space = Space::kShared;
      address = static_cast<u32>(address);
    } else if (address >> 32 == kPrivateAperture >> 32) {
      space = Space::kPrivate;
      address = static_cast<u32>(address);
    } else {
      space = Space::kGlobal;
    }
  }
  // Addresses may be sums that are below zero, and so anything.
  const auto is_within = [&](u64 bytes) { return size <= bytes && address <= bytes - size; };
  switch (space) {
  case Space::kShared:
    return is_within(wave.place->shared_size) ? wave.place->shared + address : nullptr;
  case Space::kPrivate:
    return is_within(wave.private_size) && (address & 3) + size <= 4
               ? std::bit_cast<std::byte*>(wave.scratch + (address & ~u64{3}) * kLanes +
                                           u64{lane} * 4 + (address & 3))
               : nullptr;
  default:
    return may_access(wave, address, size, kind) ? std::bit_cast<std::byte*>(address) : nullptr;
  }
}

/// Copies between a lane's bytes and `bytes`, piece by piece; false if it may not.
[[nodiscard]] bool copy_in_pieces(Wave& wave, Space space, unsigned lane, u64 address,
                                  std::byte* bytes, u32 size, AccessKind kind);

} // namespace gantry::simt::amdgcn
