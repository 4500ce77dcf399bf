// How meanings come to their operands: values of sources, lane by lane, and what becomes of
// results.
#pragma once

#include "simt/amdgcn/exec/level.h"
#include "simt/amdgcn/exec/vectors.h"
#include "simt/amdgcn/exec/wave.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

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
/// Likewise, where all lanes are asked.
class BitRow {
public:
  explicit BitRow(LaneMask mask) { set_to_mask(row_, mask); }
  bool operator[](unsigned lane) const { return row_[lane] != 0; }

private:
  alignas(64) u32 row_[kLanes];
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

/// Rows that the values of all lanes are put into: those from a register on if all lanes are
/// active, others else.
template <typename T>
class ResultRows {
public:
  ResultRows(Wave& wave, unsigned row, LaneMask active)
      : rows_(&wave.v[row]), made_(active == ~LaneMask{0} ? rows_ : kept_), active_(active) {}
  ResultRows(const ResultRows&) = delete;
  ResultRows& operator=(const ResultRows&) = delete;

  [[nodiscard]] u32 (*rows() const)[kLanes] { return made_; }
  static void put(u32 (*rows)[kLanes], unsigned lane, T value) {
    const u64 bits = to_bits(value);
    rows[0][lane] = static_cast<u32>(bits);
    if constexpr (sizeof(T) == 8) {
      rows[1][lane] = static_cast<u32>(bits >> 32);
    }
  }
  /// All values are there: those of active lanes go where they belong.
  void finish() const {
    if (made_ == rows_) {
      return;
    }
    set_row(rows_[0], made_[0], active_);
    if constexpr (sizeof(T) == 8) {
      set_row(rows_[1], made_[1], active_);
    }
  }

private:
  alignas(64) u32 kept_[sizeof(T) == 8 ? 2 : 1][kLanes];
  u32 (*rows_)[kLanes];
  u32 (*made_)[kLanes];
  LaneMask active_;
};

/// Puts the values of the lanes of `active` into registers from `row` on.
template <typename T>
void set_lanes(Wave& wave, unsigned row, const T (&values)[kLanes], LaneMask active) {
  ResultRows<T> results(wave, row, active);
  auto* const rows = results.rows();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    ResultRows<T>::put(rows, lane, values[lane]);
  }
  results.finish();
}

/// Calls `use` with each lane's number.
template <typename Use>
void for_each_lane(LaneMask lanes, Use use) {
  for (; lanes != 0; lanes &= lanes - 1) {
    use(static_cast<unsigned>(std::countr_zero(lanes)));
  }
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
