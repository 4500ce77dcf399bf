// How meanings come to their operands: values of sources, lane by lane, and what becomes of
// results.
#pragma once

#include "simt/amdgcn/exec/level.h"
#include "simt/amdgcn/exec/vectors.h"
#include "simt/amdgcn/exec/wave.h"

#include <algorithm>
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

/// The values of eight lanes.
template <typename T>
struct Block {
  static constexpr unsigned kSize = detail::kVectorLanes;
  T lanes[kSize];
  T operator[](unsigned i) const { return lanes[i]; }
};
/// Truths of eight lanes: all ones, or zero.
struct BlockOfBits {
  i32 lanes[detail::kVectorLanes];
  bool operator[](unsigned i) const { return lanes[i] < 0; }
};
/// Calls `use` with the numbers of a block's values. Without unrolling, which comes before what
/// makes one vector of them.
template <typename Use>
[[gnu::always_inline]] inline void for_block(Use use) {
#pragma clang loop unroll(disable) vectorize(assume_safety) vectorize_width(8) interleave_count(1)
  for (unsigned i = 0; i < detail::kVectorLanes; ++i) {
    use(i);
  }
}
/// To the order of a block's values and back: where values of 64 bits are among them, it is the one
/// in which those are quickly made of two rows of registers.
template <bool kWide>
detail::Vector reordered(detail::Vector values) {
  return kWide ? __builtin_shufflevector(values, values, 0, 1, 4, 5, 2, 3, 6, 7) : values;
}

// What gives the value of an operand in each lane, or in the eight lanes from `first` on.
template <typename T>
struct Uniform {
  T value;
  T operator[](unsigned) const { return value; }
  template <bool>
  [[nodiscard]] Block<T> block(unsigned /*first*/) const {
    return {{value, value, value, value, value, value, value, value}};
  }
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
  template <bool kWide>
  [[nodiscard]] Block<T> block(unsigned first) const {
    Block<T> made;
    if constexpr (sizeof(T) == 8) {
      const detail::Vector low = detail::vector_at(&rows[0][first]);
      const detail::Vector high = detail::vector_at(&rows[1][first]);
      const auto both =
          __builtin_shufflevector(low, high, 0, 8, 1, 9, 4, 12, 5, 13, 2, 10, 3, 11, 6, 14, 7, 15);
      __builtin_memcpy(made.lanes, &both, sizeof both);
    } else {
      const detail::Vector values = reordered<kWide>(detail::vector_at(&rows[0][first]));
      u32 lanes[Block<T>::kSize];
      __builtin_memcpy(lanes, &values, sizeof values);
      for_block([&](unsigned i) { made.lanes[i] = from_bits<T>(lanes[i]); });
    }
    return made;
  }
};
/// Bits of a mask of lanes.
struct Bits {
  LaneMask mask;
  bool operator[](unsigned lane) const { return ((mask >> lane) & 1) != 0; }
};
/// Likewise, by eight.
struct BlocksOfBits {
  LaneMask mask;
  template <bool kWide>
  [[nodiscard]] BlockOfBits block(unsigned first) const {
    const auto values =
        reordered<kWide>(__builtin_bit_cast(detail::Vector, detail::ones_in(mask, first)));
    BlockOfBits made;
    __builtin_memcpy(made.lanes, &values, sizeof values);
    return made;
  }
};

/// The values of any source as rows of registers: its own ones, or copies of a value that is the
/// same in all lanes.
template <typename T>
class RowsOf {
public:
  RowsOf(const Wave& wave, const Source& source) {
    if (source.kind == Source::Kind::kVector) {
      rows_ = &wave.v[source.index];
      return;
    }
    const u64 bits = to_bits(scalar_source<T>(wave, source));
    for (unsigned row = 0; row < kRows; ++row) {
      std::fill_n(copies_[row], kLanes, static_cast<u32>(bits >> (32 * row)));
    }
    rows_ = copies_;
  }
  RowsOf(const RowsOf&) = delete;
  RowsOf& operator=(const RowsOf&) = delete;

  T operator[](unsigned lane) const { return Lanes<T>{rows_}[lane]; }
  template <bool kWide>
  [[nodiscard]] Block<T> block(unsigned first) const {
    return Lanes<T>{rows_}.template block<kWide>(first);
  }

private:
  static constexpr unsigned kRows = sizeof(T) == 8 ? 2 : 1;
  alignas(64) u32 copies_[kRows][kLanes];
  const u32 (*rows_)[kLanes];
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

/// Rows that the values of all lanes are put into: those from a register on if all lanes of the
/// wave are active, others else.
template <typename T>
class ResultRows {
public:
  ResultRows(Wave& wave, unsigned row, LaneMask active)
      : rows_(&wave.v[row]), made_(active == wave.all ? rows_ : kept_), active_(active) {}
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
  template <bool kWide>
  static void put(u32 (*rows)[kLanes], unsigned first, const Block<T>& block) {
    if constexpr (sizeof(T) == 8) {
      u32 __attribute__((ext_vector_type(16))) both;
      __builtin_memcpy(&both, block.lanes, sizeof both);
      const detail::Vector low = __builtin_shufflevector(both, both, 0, 2, 8, 10, 4, 6, 12, 14);
      const detail::Vector high = __builtin_shufflevector(both, both, 1, 3, 9, 11, 5, 7, 13, 15);
      __builtin_memcpy(&rows[0][first], &low, sizeof low);
      __builtin_memcpy(&rows[1][first], &high, sizeof high);
    } else {
      u32 lanes[Block<T>::kSize];
      for_block([&](unsigned i) { lanes[i] = static_cast<u32>(to_bits(block.lanes[i])); });
      const detail::Vector values = reordered<kWide>(detail::vector_at(lanes));
      __builtin_memcpy(&rows[0][first], &values, sizeof values);
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
