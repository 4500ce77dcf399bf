// Masks of lanes as rows of registers and back, and rows that only some lanes change.
#pragma once

#include "simt/amdgcn/exec/level.h"
#include "simt/amdgcn/exec/wave.h"

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace detail {

/// As many lanes as one vector of the level has.
#if defined(GANTRY_SIMT_LEVEL_AVX512)
inline constexpr unsigned kVectorLanes = 16;
using VectorBits = u16;
#else
inline constexpr unsigned kVectorLanes = 8;
using VectorBits = u8;
#endif
using Vector = u32 __attribute__((ext_vector_type(kVectorLanes)));
using SignedVector = i32 __attribute__((ext_vector_type(kVectorLanes)));
using VectorMask = bool __attribute__((ext_vector_type(kVectorLanes)));

inline Vector vector_at(const u32* place) {
  Vector made; // the standard library's functions do not know the level's vectors
  __builtin_memcpy(&made, place, sizeof made);
  return made;
}

/// All ones in the lanes of the mask from `first` on, zero in the others.
inline SignedVector ones_in(LaneMask mask, unsigned first) {
  const auto bits = static_cast<VectorBits>(mask >> first);
#if defined(GANTRY_SIMT_LEVEL_AVX512)
  return __builtin_convertvector(__builtin_bit_cast(VectorMask, bits), SignedVector) != 0;
#else
  constexpr SignedVector kBits = {1, 2, 4, 8, 16, 32, 64, 128};
  return (SignedVector(bits) & kBits) == kBits;
#endif
}

} // namespace detail

/// The lanes whose values have their upmost bit set.
inline LaneMask mask_of(const u32 (&row)[kLanes]) {
  LaneMask made = 0;
  for (unsigned lane = 0; lane < kLanes; lane += detail::kVectorLanes) {
    const auto values = __builtin_bit_cast(detail::SignedVector, detail::vector_at(&row[lane]));
    const auto bits = __builtin_bit_cast(detail::VectorBits,
                                         __builtin_convertvector(values < 0, detail::VectorMask));
    made |= LaneMask{bits} << lane;
  }
  return made;
}

/// All ones in the mask's lanes, zero in the others.
inline void set_to_mask(u32 (&row)[kLanes], LaneMask mask) {
  for (unsigned lane = 0; lane < kLanes; lane += detail::kVectorLanes) {
    const detail::SignedVector values = detail::ones_in(mask, lane);
    __builtin_memcpy(&row[lane], &values, sizeof values);
  }
}

/// Sets the lanes of `active` to the values of another row.
[[gnu::noinline]] inline void set_row(u32* row, const u32* values, LaneMask active) {
  for (unsigned lane = 0; lane < kLanes; lane += detail::kVectorLanes) {
    const auto ones = __builtin_bit_cast(detail::Vector, detail::ones_in(active, lane));
    const detail::Vector old = detail::vector_at(row + lane);
    detail::Vector made = (old & ~ones) | (detail::vector_at(values + lane) & ones);
#if defined(GANTRY_SIMT_LEVEL_AVX2)
    asm(""
        : "+x"(made)); // else it becomes a masked store, which takes some processors tens of cycles
#endif
    __builtin_memcpy(row + lane, &made, sizeof made);
  }
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
