#include "simt/amdgcn/exec/access.h"

#include "simt/amdgcn/exec/report.h"

#include "simt/exec/memory/host_memory.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

namespace {

/// An offset that no lane's private memory has.
constexpr u64 kOutOfReach = u64{1} << 40;

/// How far private memory that begins at `base` for code lies from where the wave's does, in bytes
/// of a lane.
u64 private_offset(const Wave& wave, u64 base) {
  const u64 distance = base - wave.scratch;
  return distance % kLanes == 0 && distance / kLanes <= wave.private_size ? distance / kLanes
                                                                          : kOutOfReach;
}

/// Loads and atomic operations may look behind the end of an allocation within their last dword: a
/// dword is what compilers have for a byte.
u32 needed_bytes(u64 address, u32 size, AccessKind kind) {
  const u32 unit = std::min(size, 4U);
  return kind == AccessKind::kStore || address % unit != 0 ? size : size - unit + 1;
}

u64 flat_scratch_offset(const Wave& wave) {
  // gfx8 has an offset of the queue's memory there.
  return wave.grid->processor->is_gfx8 ? 0 : private_offset(wave, wave.pair(scalar::kFlatScratch));
}

u64 buffer_offset(const Wave& wave, const Instruction& instruction) {
  constexpr u64 kAddressBits = (u64{1} << 48) - 1;
  const u64 base = wave.pair(instruction.sources[0].index) & kAddressBits;
  return private_offset(wave, base + scalar_source<u32>(wave, instruction.sources[1]));
}

} // namespace

Space addresses_of(const Wave& wave, const Instruction& instruction, LaneMask active,
                   u64 (&addresses)[kLanes]) {
  const auto offset = static_cast<u64>(instruction.offset);
  const auto set = [&](auto address) {
    if (active == ~LaneMask{0}) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        addresses[lane] = address(lane);
      }
    } else {
      for_each_lane(active, [&](unsigned lane) { addresses[lane] = address(lane); });
    }
  };
  const Lanes<u64> wide{&wave.v[instruction.address]};
  const Lanes<u32> narrow{&wave.v[instruction.address]};
  switch (instruction.format) {
  case Format::kFlat:
    set([&](unsigned lane) { return wide[lane] + offset; });
    return Space::kFlat;
  case Format::kGlobal:
    if (instruction.has_scalar_address) {
      const u64 base = scalar_source<u64>(wave, instruction.sources[0]) + offset;
      set([&](unsigned lane) { return base + narrow[lane]; });
    } else {
      set([&](unsigned lane) { return wide[lane] + offset; });
    }
    return Space::kGlobal;
  case Format::kScratch: {
    u64 base = flat_scratch_offset(wave) + offset;
    if (instruction.has_scalar_address) {
      base += scalar_source<u32>(wave, instruction.sources[0]);
      set([&](unsigned) { return base; });
    } else {
      set([&](unsigned lane) { return base + narrow[lane]; });
    }
    return Space::kPrivate;
  }
  default: {
    const u64 base = buffer_offset(wave, instruction);
    if (instruction.has_vector_address) { // a sum of 32 bits, whose parts may be below zero
      const auto within = static_cast<u32>(offset);
      set([&](unsigned lane) { return base + (narrow[lane] + within); });
    } else {
      set([&](unsigned) { return base + offset; });
    }
    return Space::kPrivate;
  }
  }
}

bool may_access(Wave& wave, u64 address, u32 size, AccessKind kind) {
  Place& place = *wave.place;
  const u32 needed = needed_bytes(address, size, kind);
  const exec::DeviceMemory::Range known = place.known;
  if (known.size >= needed && address - known.first <= known.size - needed) {
    return true;
  }
  if (!wave.grid->checks_memory) {
    return true;
  }
  const exec::DeviceMemory::Range own = place.private_memory;
  if (own.size >= size && address - own.first <= own.size - size) {
    return true;
  }
  if (!place.memory->accessible(address, needed)) {
    return exec::may_use_host_memory(wave.grid->device) &&
           exec::is_mapped_on_host(address, size, kind != AccessKind::kLoad);
  }
  if (const auto range = place.memory->known_range(address)) {
    place.known = *range;
  }
  return true;
}

bool copy_in_pieces(Wave& wave, Space space, unsigned lane, u64 address, std::byte* bytes, u32 size,
                    AccessKind kind) {
  while (size != 0) {
    const u32 piece = std::min(size, 4 - static_cast<u32>(address & 3));
    std::byte* const place = place_of(wave, space, lane, address, piece, kind);
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
