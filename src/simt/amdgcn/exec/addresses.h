// Accesses of all lanes of a wave at once: their addresses, and where the bytes are, as far as one
// comparison tells.
#pragma once

#include "simt/amdgcn/exec/access.h"
#include "simt/amdgcn/exec/operands.h"

#include <algorithm>
#include <limits>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

/// The address of each lane: `base`, and what a row of registers has, as a number of 64 bits or as
/// a sum of 32 bits with `within`.
struct Addresses {
  Space space = Space::kGlobal;
  u64 base = 0;
  u32 within = 0;
  const u32* low = nullptr;  ///< null: `base` alone
  const u32* high = nullptr; ///< null: `low` is all of it

  [[gnu::always_inline]] u64 operator[](unsigned lane) const {
    if (high != nullptr) {
      return base + (low[lane] | u64{high[lane]} << 32);
    }
    return low != nullptr ? base + (low[lane] + within) : base;
  }
};

/// Of a flat, global, scratch or buffer access. Space::kPrivate with offsets out of every lane's
/// reach if a buffer or FLAT_SCRATCH is not the wave's private memory.
[[gnu::always_inline]] inline Addresses addresses_of(const Wave& wave,
                                                     const Instruction& instruction) {
  constexpr u64 kOutOfReach = u64{1} << 40; // an offset that no lane's private memory has
  // How far private memory that begins at `base` for code lies from where the wave's does, in bytes
  // of a lane.
  const auto private_offset = [&](u64 base) {
    const u64 distance = base - wave.scratch;
    return distance % kLanes == 0 && distance / kLanes <= wave.private_size ? distance / kLanes
                                                                            : kOutOfReach;
  };
  const auto offset = static_cast<u64>(instruction.offset);
  const u32* const row = wave.v[instruction.address];
  switch (instruction.format) {
  case Format::kFlat:
    return {Space::kFlat, offset, 0, row, row + kLanes};
  case Format::kGlobal:
    if (instruction.has_scalar_address) {
      return {Space::kGlobal, scalar_source<u64>(wave, instruction.sources[0]) + offset, 0, row};
    }
    return {Space::kGlobal, offset, 0, row, row + kLanes};
  case Format::kScratch: {
    // gfx8 has an offset of the queue's memory in FLAT_SCRATCH, gfx11 has it nowhere.
    const Processor& processor = *wave.grid->processor;
    const bool has_flat_scratch = !processor.is_gfx8 && !processor.is_gfx11;
    const u64 base =
        offset + (has_flat_scratch ? private_offset(wave.pair(scalar::kFlatScratch)) : 0);
    if (!instruction.has_scalar_address) {
      return {Space::kPrivate, base, 0, instruction.has_vector_address ? row : nullptr};
    }
    const u32 scalar_part = scalar_source<u32>(wave, instruction.sources[0]);
    if (!instruction.has_vector_address) {
      return {Space::kPrivate, base + scalar_part};
    }
    return {Space::kPrivate, base, scalar_part, row};
  }
  default: {
    constexpr u64 kAddressBits = (u64{1} << 48) - 1;
    const u64 buffer = wave.pair(instruction.sources[0].index) & kAddressBits;
    const u64 base = private_offset(buffer + scalar_source<u32>(wave, instruction.sources[1]));
    if (instruction.has_vector_address) { // a sum of 32 bits, whose parts may be below zero
      return {Space::kPrivate, base, static_cast<u32>(offset), row};
    }
    return {Space::kPrivate, base + offset};
  }
  }
}

/// Of an access to LDS: a sum of 32 bits, since compilers have bases below zero.
inline Addresses shared_addresses(const Wave& wave, const Instruction& instruction, u32 offset) {
  return {Space::kShared, 0, offset, wave.v[instruction.address]};
}

/// Where the lanes' bytes are on the host. Those of a lane behind the first dword are further
/// dwords, `step` bytes from one to the next.
struct Places {
  enum class Shape : std::uint8_t {
    kNone, ///< each lane has to be asked for: not all may be accessed, or that is not known at once
    kRow,  ///< all lanes one behind the other, from `first` on; a lane's dwords beside each other
    kRows, ///< the lanes' first dwords behind each other, from `first` on, then the second ones
    kLanes,
  };
  Shape shape = Shape::kNone;
  u64 first = 0;
  u32 step = 4;
  unsigned lanes = kLanes; ///< of kRow: those of the wave
  u32 lane_step = 4;       ///< from a lane's bytes to those of the next one, but for kLanes
  u32 from_first[kLanes];  ///< of kLanes: how far from `first` the active lanes' bytes are

  [[nodiscard]] std::byte* row() const { return std::bit_cast<std::byte*>(first); }
  [[nodiscard]] std::byte* of_lane(unsigned lane) const {
    const u64 distance = shape == Shape::kLanes ? from_first[lane] : u64{lane} * lane_step;
    return std::bit_cast<std::byte*>(first + distance);
  }
};

namespace detail {

/// Whether all of a row of kCount lanes is its first value and kStep times the lane's number.
template <u32 kStep, unsigned kCount = kLanes>
bool rises_by(const u32* row) {
  const u32 first = row[0];
  u32 differs = 0;
  for (unsigned lane = 0; lane < kCount; ++lane) {
    differs |= row[lane] ^ (first + lane * kStep);
  }
  return differs == 0;
}

/// Whether any wave may access `size` bytes of global memory, as the instruction's range tells.
[[gnu::always_inline]] inline bool is_accessible(Wave& wave, const Instruction& instruction,
                                                 u64 address, u64 size, u32 access,
                                                 AccessKind kind) {
  AccessibleRanges& known = wave.place->known;
  return known.contain(&instruction, address, size) ||
         (may_access_elsewhere(wave, instruction, address, access, kind) &&
          known.contain(&instruction, address, size));
}

/// Has the processor fetch what the instruction will access soon, if it goes on in the same steps:
/// between two turns of a wave's loop lie other waves' parts of the memory, so that the processor
/// does not see by itself that it is gone through in order.
template <u32 kBytes>
[[gnu::always_inline]] inline void fetch_next(Wave& wave, const Instruction& instruction,
                                              u64 address) {
  constexpr u64 kFurthest = 64 << 10;
  constexpr u64 kTurns = 4; ///< ahead: measured, of code that is compiled
  constexpr u64 kLine = 64;
  constexpr int kSecondLevel = 2; ///< of caches: the first one can wait for too few lines at once
  const u64 step = wave.place->steps.step(&instruction, address);
  if (step + kFurthest > 2 * kFurthest) {
    return;
  }
  const u64 next = address + kTurns * step;
  // One line more than there are bytes for: rows begin anywhere in a line.
  for (u64 i = 0; i <= kBytes; i += kLine) {
    __builtin_prefetch(std::bit_cast<const void*>(next + std::min(i, u64{kBytes} - 1)), 0,
                       kSecondLevel);
  }
}

/// All kCount lanes of the wave are active, with addresses one behind the other.
template <u32 kSize, unsigned kCount>
[[gnu::always_inline]] inline bool find_row(Wave& wave, const Instruction& instruction,
                                            const Addresses& addresses, AccessKind kind,
                                            Places& places) {
  if (addresses.low == nullptr || !rises_by<kSize, kCount>(addresses.low) ||
      (addresses.high != nullptr && !rises_by<0, kCount>(addresses.high))) {
    return false;
  }
  const u64 bytes = u64{kSize} * kCount;
  const u32 first = addresses.low[0] + addresses.within;
  if (first > std::numeric_limits<u32>::max() - bytes) { // some lanes' sums begin at 0 again
    return false;
  }
  const u64 address = addresses[0];
  switch (addresses.space) {
  case Space::kShared:
    if (bytes > wave.place->shared_size || address > wave.place->shared_size - bytes) {
      return false;
    }
    places.first = std::bit_cast<u64>(wave.place->shared) + address;
    break;
  case Space::kFlat:
    if (address >= kSharedAperture) {
      return false;
    }
    [[fallthrough]];
  case Space::kGlobal:
    if (!is_accessible(wave, instruction, address, bytes, kSize, kind)) {
      return false;
    }
    fetch_next<kSize * kCount>(wave, instruction, address);
    places.first = address;
    break;
  case Space::kPrivate:
    return false;
  }
  places.lanes = kCount;
  places.lane_step = kSize;
  places.shape = Places::Shape::kRow;
  return true;
}

/// All lanes have the same offset in private memory, which is that of dwords.
inline bool find_private_rows(const Wave& wave, const Addresses& addresses, u32 size,
                              Places& places) {
  if (size % 4 != 0 || (addresses.low != nullptr && !rises_by<0>(addresses.low))) {
    return false;
  }
  const u64 address = addresses[0];
  if (address % 4 != 0 || size > wave.private_size || address > wave.private_size - size) {
    return false;
  }
  places.first = private_place(wave, 0, address);
  places.step = 4 * kLanes;
  places.shape = Places::Shape::kRows;
  return true;
}

/// The active lanes' addresses: `first`, and so far from it.
struct Spread {
  u64 first = 0;
  u32 least = std::numeric_limits<u32>::max();
  u32 greatest = 0;
  u32 bits = 0; ///< that any of the distances has
};

/// Distances of all lanes from the addresses' base, and their bounds. False if the addresses are
/// more than 4 GiB apart.
inline bool spread_of(const Addresses& addresses, LaneMask active, u32 (&distances)[kLanes],
                      Spread& spread) {
  const auto any = static_cast<unsigned>(std::countr_zero(active));
  alignas(64) u32 active_ones[kLanes];
  set_to_mask(active_ones, active);
  const auto is_same = [&](const u32* row) {
    u32 differs = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      differs |= (row[lane] ^ row[any]) & active_ones[lane];
    }
    return differs == 0;
  };
  spread.first = addresses.base;
  if (addresses.low == nullptr) {
    std::ranges::fill(distances, 0U);
  } else if (addresses.high == nullptr) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      distances[lane] = addresses.low[lane] + addresses.within;
    }
  } else if (is_same(addresses.high)) {
    spread.first += u64{addresses.high[any]} << 32;
    std::copy_n(addresses.low, kLanes, distances);
  } else {
    u64 least = std::numeric_limits<u64>::max();
    for_each_lane(active, [&](unsigned lane) { least = std::min(least, addresses[lane]); });
    u64 beyond = 0;
    for_each_lane(active, [&](unsigned lane) {
      const u64 distance = addresses[lane] - least;
      distances[lane] = static_cast<u32>(distance);
      beyond |= distance >> 32;
    });
    if (beyond != 0) {
      return false;
    }
    spread.first = least;
  }
  u32 least = std::numeric_limits<u32>::max();
  u32 greatest = 0;
  u32 bits = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    least = std::min(least, distances[lane] | ~active_ones[lane]);
    greatest = std::max(greatest, distances[lane] & active_ones[lane]);
    bits |= distances[lane] & active_ones[lane];
  }
  spread.least = least;
  spread.greatest = greatest;
  spread.bits = bits;
  return true;
}

[[gnu::noinline]] inline void find_lanes(Wave& wave, const Instruction& instruction,
                                         LaneMask active, const Addresses& addresses, u32 size,
                                         AccessKind kind, Places& places) {
  Spread spread;
  if (active == 0 || !spread_of(addresses, active, places.from_first, spread)) {
    return;
  }
  const u64 least = spread.first + spread.least;
  const u64 greatest = spread.first + spread.greatest;
  if (greatest < least) { // sums that begin at 0 again
    return;
  }
  Space space = addresses.space;
  u64 aperture = 0;
  if (space == Space::kFlat) {
    if (greatest < kSharedAperture) {
      space = Space::kGlobal;
    } else if (least >> 32 == greatest >> 32 &&
               (least >> 32 == kSharedAperture >> 32 || least >> 32 == kPrivateAperture >> 32)) {
      space = least >> 32 == kSharedAperture >> 32 ? Space::kShared : Space::kPrivate;
      aperture = least >> 32 << 32;
    } else {
      return;
    }
  }
  const auto is_within = [&](u64 limit) {
    return size <= limit && greatest - aperture <= limit - size;
  };
  switch (space) {
  case Space::kShared:
    if (!is_within(wave.place->shared_size)) {
      return;
    }
    places.first = std::bit_cast<u64>(wave.place->shared) + (spread.first - aperture);
    break;
  case Space::kPrivate: {
    const u64 base = spread.first - aperture;
    const bool is_apart = kind == AccessKind::kAtomic && size > 4;
    if (!is_within(wave.private_size) || is_apart ||
        ((static_cast<u32>(base) | spread.bits) & (std::min(size, 4U) - 1)) != 0) {
      return;
    }
    const auto low = static_cast<u32>(base); // sums are within the private memory
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const u32 offset = low + places.from_first[lane];
      places.from_first[lane] = (offset & ~3U) * kLanes + lane * 4 + (offset & 3);
    }
    places.first = wave.scratch;
    places.step = 4 * kLanes;
    break;
  }
  default:
    if (greatest - least > std::numeric_limits<u64>::max() - size ||
        !is_accessible(wave, instruction, least, greatest - least + size, size, kind)) {
      return;
    }
    places.first = spread.first;
    break;
  }
  places.shape = Places::Shape::kLanes;
}

} // namespace detail

/// Finds the places of accesses of kSize bytes in the active lanes.
template <u32 kSize>
[[gnu::always_inline]] inline void find_places(Wave& wave, const Instruction& instruction,
                                               LaneMask active, const Addresses& addresses,
                                               AccessKind kind, Places& places) {
  if (active == wave.all && kind != AccessKind::kAtomic) {
    constexpr LaneMask kHalf = ~LaneMask{0} >> 32;
    if (addresses.space == Space::kPrivate
            ? active != kHalf && detail::find_private_rows(wave, addresses, kSize, places)
        : active != kHalf
            ? detail::find_row<kSize, kLanes>(wave, instruction, addresses, kind, places)
            : detail::find_row<kSize, kLanes / 2>(wave, instruction, addresses, kind, places)) {
      return;
    }
  }
  detail::find_lanes(wave, instruction, active, addresses, kSize, kind, places);
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
