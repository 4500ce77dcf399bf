// Atomic operations on memory of the host.
#pragma once

#include "simt/amdgcn/exec/vector_meaning.h"

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace atomic {

template <typename T>
constexpr T least(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
constexpr T greatest(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
constexpr T least_signed(T a, T b) {
  using S = std::make_signed_t<T>;
  return static_cast<S>(b) < static_cast<S>(a) ? b : a;
}
template <typename T>
constexpr T greatest_signed(T a, T b) {
  using S = std::make_signed_t<T>;
  return static_cast<S>(a) < static_cast<S>(b) ? b : a;
}
template <typename T>
constexpr T incremented(T old, T most) {
  return old >= most ? 0 : old + 1;
}
template <typename T>
constexpr T decremented(T old, T most) {
  return old == 0 || old > most ? most : old - 1;
}

} // namespace atomic

/// Replaces the value at `place`, which is a multiple of its size, by F of it and the data, as one
/// operation among all threads; returns what was there. `expected` gives F's third argument if it
/// has one.
template <auto F, typename T, typename Expected>
T changed(std::byte* place, T data, Expected expected) {
  using Bits = std::conditional_t<sizeof(T) == 8, u64, u32>;
  auto* const bits = reinterpret_cast<Bits*>(place);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    const T value = from_bits<T>(old);
    T made;
    if constexpr (Signature<F>::kCount == 3) {
      made = F(value, data, expected());
    } else {
      made = F(value, data);
    }
    if (__atomic_compare_exchange_n(bits, &old, static_cast<Bits>(to_bits(made)), true,
                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
      return value;
    }
  }
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
