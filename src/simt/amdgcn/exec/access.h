// Accesses of single lanes to memory: where the bytes are, and whether the lane may go there.
#pragma once

#include "simt/amdgcn/exec/wave.h"

#include <bit>
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

/// Whether the wave may access global memory that is not in the instruction's accessible range.
[[nodiscard]] bool may_access_elsewhere(Wave& wave, const Instruction& instruction, u64 address,
                                        u32 size, AccessKind kind);

/// Whether the wave may access global memory.
inline bool may_access(Wave& wave, const Instruction& instruction, u64 address, u32 size,
                       AccessKind kind) {
  return wave.place->known.contain(&instruction, address, size) ||
         may_access_elsewhere(wave, instruction, address, size, kind);
}

/// Where a lane's private memory has the byte at an offset: lanes' dwords lie side by side.
inline u64 private_place(const Wave& wave, unsigned lane, u64 offset) {
  return wave.scratch + (offset & ~u64{3}) * kLanes + u64{lane} * 4 + (offset & 3);
}

/// Where the bytes are on the host; null if they are not all in one place, which is so in private
/// memory beyond a dword, or if they may not be accessed.
inline std::byte* place_of(Wave& wave, const Instruction& instruction, Space space, unsigned lane,
                           u64 address, u32 size, AccessKind kind) {
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
               ? std::bit_cast<std::byte*>(private_place(wave, lane, address))
               : nullptr;
  default:
    return may_access(wave, instruction, address, size, kind) ? std::bit_cast<std::byte*>(address)
                                                              : nullptr;
  }
}

/// Copies between a lane's bytes and `bytes`, piece by piece; false if it may not.
[[nodiscard]] bool copy_in_pieces(Wave& wave, const Instruction& instruction, Space space,
                                  unsigned lane, u64 address, std::byte* bytes, u32 size,
                                  AccessKind kind);

} // namespace gantry::simt::amdgcn
