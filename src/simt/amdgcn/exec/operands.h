// How meanings come to their operands: values of sources, lane by lane, and what becomes of
// results.
#pragma once

#include "simt/amdgcn/exec/wave.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gantry::simt::amdgcn {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using i16 = std::int16_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using f16 = _Float16;
using f32 = float;
using f64 = double;

/// A result, and a bit of the mask that is written beside it.
template <typename T>
struct Masked {
  T value;
  bool bit;
};

/// The parameters of a meaning's function. Those of type bool are bits of a mask that is read.
template <typename F>
struct SignatureOf;
template <typename C, typename R, typename... A>
struct SignatureOf<R (C::*)(A...) const> {
  using Result = R;
  static constexpr unsigned kCount = sizeof...(A);
  template <unsigned N>
  using Parameter = std::tuple_element_t<N, std::tuple<A...>>;
};
template <auto F>
using Signature = SignatureOf<decltype(&decltype(F)::operator())>;

template <typename T>
struct ValueOf {
  using Type = T;
};
template <typename T>
struct ValueOf<Masked<T>> {
  using Type = T;
};

template <typename T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, f16>) {
    return Type::kF16;
  } else if constexpr (std::is_same_v<T, f64>) {
    return Type::kF64;
  } else if constexpr (std::is_same_v<T, f32>) {
    return Type::kF32;
  } else if constexpr (std::is_same_v<T, i64>) {
    return Type::kI64;
  } else if constexpr (sizeof(T) == 8) {
    return Type::kB64;
  } else if constexpr (sizeof(T) == 4) {
    return Type::kB32;
  } else {
    static_assert(sizeof(T) == 2);
    return Type::kB16;
  }
}

template <typename T>
constexpr T from_bits(u64 bits) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(bits);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<u32>(bits));
  } else {
    return std::bit_cast<T>(static_cast<u16>(bits));
  }
}
template <typename T>
constexpr u64 to_bits(T value) {
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<u64>(value);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<u32>(value);
  } else {
    return std::bit_cast<u16>(value);
  }
}

/// The value of a source that is the same in all lanes.
template <typename T>
T scalar_source(const Wave& wave, const Source& source) {
  if (source.kind == Source::Kind::kConstant) {
    return from_bits<T>(source.constant);
  }
  if constexpr (sizeof(T) == 8) {
    return from_bits<T>(wave.pair(source.index));
  } else {
    return from_bits<T>(wave.s[source.index]);
  }
}

template <typename T>
struct Uniform {
  T value;
  T operator[](unsigned) const { return value; }
};
template <typename T>
struct Lanes {
  const u32 (*rows)[kLanes];
  T operator[](unsigned lane) const {
    if constexpr (sizeof(T) == 8) {
      return from_bits<T>(rows[0][lane] | u64{rows[1][lane]} << 32);
    } else {
      return from_bits<T>(rows[0][lane]);
    }
  }
};
/// Bits of a mask of lanes.
struct Bits {
  LaneMask mask;
  bool operator[](unsigned lane) const { return ((mask >> lane) & 1) != 0; }
};

/// Calls `use` with something that gives the source's value in each lane.
template <typename T, typename Use>
void with_source(const Wave& wave, const Source& source, Use use) {
  if (source.kind == Source::Kind::kVector) {
    use(Lanes<T>{&wave.v[source.index]});
  } else {
    use(Uniform<T>{scalar_source<T>(wave, source)});
  }
}

/// The value of a source in one lane.
template <typename T>
T lane_source(const Wave& wave, const Source& source, unsigned lane) {
  return source.kind == Source::Kind::kVector ? Lanes<T>{&wave.v[source.index]}[lane]
                                              : scalar_source<T>(wave, source);
}

template <typename T>
void set_lane(Wave& wave, unsigned row, unsigned lane, T value) {
  const u64 bits = to_bits(value);
  wave.v[row][lane] = static_cast<u32>(bits);
  if constexpr (sizeof(T) == 8) {
    wave.v[row + 1][lane] = static_cast<u32>(bits >> 32);
  }
}

/// Puts the values of the lanes of `active` into registers from `row` on.
template <typename T>
void set_lanes(Wave& wave, unsigned row, const T (&values)[kLanes], LaneMask active) {
  u32* const low = wave.v[row];
  if (active == ~LaneMask{0}) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      low[lane] = static_cast<u32>(to_bits(values[lane]));
    }
    if constexpr (sizeof(T) == 8) {
      u32* const high = wave.v[row + 1];
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        high[lane] = static_cast<u32>(to_bits(values[lane]) >> 32);
      }
    }
    return;
  }
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    set_lane(wave, row, lane, values[lane]);
  }
}

/// Calls `use` with each lane's number.
template <typename Use>
void for_each_lane(LaneMask lanes, Use use) {
  for (; lanes != 0; lanes &= lanes - 1) {
    use(static_cast<unsigned>(std::countr_zero(lanes)));
  }
}

} // namespace gantry::simt::amdgcn
