// Masks of lanes as rows of registers and back, and rows that only some lanes change.
#pragma once

#include "simt/amdgcn/exec/level.h"
#include "simt/amdgcn/exec/wave.h"

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace detail {

inline constexpr unsigned kVectorLanes = 8;
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
  constexpr SignedVector kBits = {1, 2, 4, 8, 16, 32, 64, 128};
  return (SignedVector(static_cast<i32>(mask >> first)) & kBits) == kBits;
}

} // namespace detail

/// A bit for each of the values that has its upmost bit set.
inline LaneMask mask_of(detail::Vector values) {
#if defined(GANTRY_SIMT_LEVEL_AVX2)
  using Floats = float __attribute__((vector_size(32)));
  return static_cast<u8>(__builtin_ia32_movmskps256(__builtin_bit_cast(Floats, values)));
#else
  return __builtin_bit_cast(
      u8, __builtin_convertvector(__builtin_bit_cast(detail::SignedVector, values) < 0,
                                  detail::VectorMask));
#endif
}

/// All ones in the mask's lanes, zero in the others.
inline void set_to_mask(u32 (&row)[kLanes], LaneMask mask) {
  for (unsigned lane = 0; lane < kLanes; lane += detail::kVectorLanes) {
    const detail::SignedVector ones = detail::ones_in(mask, lane);
    __builtin_memcpy(&row[lane], &ones, sizeof ones);
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
