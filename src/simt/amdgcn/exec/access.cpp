#include "simt/amdgcn/exec/access.h"

#include "simt/memory/host_memory.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

namespace {

/// Loads and atomic operations may look behind the end of an allocation within their last dword: a
/// dword is what compilers have for a byte.
u32 needed_bytes(u64 address, u32 size, AccessKind kind) {
  const u32 unit = std::min(size, 4U);
  return kind == AccessKind::kStore || address % unit != 0 ? size : size - unit + 1;
}

} // namespace

bool may_access_elsewhere(Wave& wave, const Instruction& instruction, u64 address, u32 size,
                          AccessKind kind) {
  Place& place = *wave.place;
  if (!wave.grid->checks_memory || place.known.find(&instruction, address, size)) {
    return true;
  }
  const DeviceMemory::Range own = place.private_memory;
  if (own.size >= size && address - own.first <= own.size - size) {
    place.known.put(&instruction, own);
    return true;
  }
  if (!place.memory->accessible(address, needed_bytes(address, size, kind))) {
    return may_use_host_memory(wave.grid->device) &&
           is_mapped_on_host(address, size, kind != AccessKind::kLoad);
  }
  place.known.missed(*place.memory, &instruction, address);
  return true;
}

bool copy_in_pieces(Wave& wave, const Instruction& instruction, Space space, unsigned lane,
                    u64 address, std::byte* bytes, u32 size, AccessKind kind) {
  while (size != 0) {
    const u32 piece = std::min(size, 4 - static_cast<u32>(address & 3));
    std::byte* const place = place_of(wave, instruction, space, lane, address, piece, kind);
    if (place == nullptr) {
      return false;
    }
    std::memcpy(kind == AccessKind::kLoad ? bytes : place,
                kind == AccessKind::kLoad ? place : bytes, piece);
    address += piece;
    bytes += piece;
    size -= piece;
  }
  return true;
}

} // namespace gantry::simt::amdgcn
