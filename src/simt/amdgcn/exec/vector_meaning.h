// Makes meanings of vector instructions out of functions of one lane.
#pragma once

#include "simt/amdgcn/exec/operands.h"

#include <array>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace detail {

template <auto F, unsigned N>
using Parameter = Signature<F>::template Parameter<N>;

/// Stands for sets of sources that are VGPRs: whichever they are.
inline constexpr unsigned kAnySources = ~0U;
/// Where the host has another level, meanings of this one are compiled once, for any sources and
/// any lanes: few hosts run them.
#if defined(GANTRY_SIMT_LEVEL_BASELINE) && defined(__x86_64__)
inline constexpr bool kIsCompact = true;
#else
inline constexpr bool kIsCompact = false;
#endif

/// What gives the value of a parameter of F in each lane, whatever the source is.
template <auto F, unsigned N>
auto any_values_of(const Wave& wave, const Instruction& instruction) {
  using P = Parameter<F, N>;
  if constexpr (std::is_same_v<P, bool>) {
    return BlocksOfBits{scalar_source<u64>(wave, instruction.sources[3])};
  } else {
    return RowsOf<P>(wave, instruction.sources[N]);
  }
}

/// Likewise, if the sources of `kVectors` are VGPRs.
template <auto F, unsigned N, unsigned kVectors>
auto values_of(const Wave& wave, const Instruction& instruction) {
  using P = Parameter<F, N>;
  if constexpr (kVectors == kAnySources) {
    return any_values_of<F, N>(wave, instruction);
  } else if constexpr (std::is_same_v<P, bool>) {
    return BlocksOfBits{scalar_source<u64>(wave, instruction.sources[3])};
  } else if constexpr ((kVectors >> N & 1) != 0) {
    return Lanes<P>{&wave.v[instruction.sources[N].index]};
  } else {
    return Uniform<P>{scalar_source<P>(wave, instruction.sources[N])};
  }
}

/// Whether the compiler reads these meanings, which runs them lane by lane.
#if defined(GANTRY_SIMT_MEANINGS_OF_LANES)
inline constexpr bool kForCompiler = true;
#else
inline constexpr bool kForCompiler = false;
#endif

/// Calls `use` with the values of all parameters of F, of sources that are of any kind.
template <auto F, typename Use>
void with_any_parameters(const Wave& wave, const Instruction& instruction, Use use) {
  [&]<unsigned... N>(std::integer_sequence<unsigned, N...>) {
    use(any_values_of<F, N>(wave, instruction)...);
  }(std::make_integer_sequence<unsigned, Signature<F>::kCount>());
}

/// Calls `use` with the values of all parameters of F.
template <auto F, unsigned kVectors, typename Use>
void with_parameters(const Wave& wave, const Instruction& instruction, Use use) {
  [&]<unsigned... N>(std::integer_sequence<unsigned, N...>) {
    use(values_of<F, N, kVectors>(wave, instruction)...);
  }(std::make_integer_sequence<unsigned, Signature<F>::kCount>());
}

/// How many of F's parameters are sources.
template <auto F>
constexpr unsigned source_count() {
  return []<unsigned... N>(std::integer_sequence<unsigned, N...>) {
    return (0U + ... + (std::is_same_v<Parameter<F, N>, bool> ? 0U : 1U));
  }(std::make_integer_sequence<unsigned, Signature<F>::kCount>());
}

template <auto F, unsigned N>
Parameter<F, N> parameter(const Wave& wave, const Instruction& instruction, unsigned lane) {
  if constexpr (std::is_same_v<Parameter<F, N>, bool>) {
    return Bits{scalar_source<u64>(wave, instruction.sources[3])}[lane];
  } else {
    return lane_source<Parameter<F, N>>(wave, instruction.sources[N], lane);
  }
}

template <auto F, unsigned... N>
auto call(const Wave& wave, const Instruction& instruction, unsigned lane,
          std::integer_sequence<unsigned, N...>) {
  return F(parameter<F, N>(wave, instruction, lane)...);
}
/// F in one lane.
template <auto F>
auto call(const Wave& wave, const Instruction& instruction, unsigned lane) {
  return call<F>(wave, instruction, lane,
                 std::make_integer_sequence<unsigned, Signature<F>::kCount>());
}

inline bool is_one_lane(LaneMask active) {
  return std::has_single_bit(active);
}

/// Whether F has to do with values of 64 bits.
template <auto F>
constexpr bool is_wide() {
  return []<unsigned... N>(std::integer_sequence<unsigned, N...>) {
    using Value = ValueOf<typename Signature<F>::Result>::Type;
    return sizeof(Value) == 8 || (false || ... || (sizeof(Parameter<F, N>) == 8));
  }(std::make_integer_sequence<unsigned, Signature<F>::kCount>());
}

/// Puts what F has of the sources in each lane into rows. Each lane's sources are read before its
/// result is put, and lanes have nothing to do with each other: the rows may be those of sources.
template <auto F, typename... Sources>
void put_results(u32 (*rows)[kLanes], const Sources&... sources) {
  using Made = Signature<F>::Result;
  constexpr bool kReadsMask = (false || ... || std::is_same_v<Sources, BlocksOfBits>);
  if constexpr (kReadsMask || is_wide<F>()) {
    for (unsigned first = 0; first < kLanes; first += Block<Made>::kSize) {
      Block<Made> made;
      [&](const auto&... blocks) {
        for_block([&](unsigned i) { made.lanes[i] = F(blocks[i]...); });
      }(sources.template block<is_wide<F>()>(first)...);
      ResultRows<Made>::template put<is_wide<F>()>(rows, first, made);
    }
  } else {
#pragma clang loop vectorize(assume_safety)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      ResultRows<Made>::put(rows, lane, F(sources[lane]...));
    }
  }
}

/// Likewise of results with a bit of a mask; returns the mask.
template <auto F, typename... Sources>
LaneMask put_masked_results(u32 (*rows)[kLanes], const Sources&... sources) {
  using Value = ValueOf<typename Signature<F>::Result>::Type;
  constexpr bool kWide = is_wide<F>();
  LaneMask mask = 0;
  for (unsigned first = 0; first < kLanes; first += Block<Value>::kSize) {
    Block<Value> made;
    u32 ones[Block<Value>::kSize];
    [&](const auto&... blocks) {
      for_block([&](unsigned i) {
        const auto result = F(blocks[i]...);
        made.lanes[i] = result.value;
        ones[i] = result.bit ? ~0U : 0;
      });
    }(sources.template block<kWide>(first)...);
    ResultRows<Value>::template put<kWide>(rows, first, made);
    mask |= mask_of(reordered<kWide>(vector_at(ones))) << first;
  }
  return mask;
}

/// The lanes in which F is true.
template <auto F, typename... Sources>
LaneMask mask_of_results(const Sources&... sources) {
  constexpr bool kWide = is_wide<F>();
  LaneMask mask = 0;
  for (unsigned first = 0; first < kLanes; first += kVectorLanes) {
    u32 ones[kVectorLanes];
    [&](const auto&... blocks) {
      for_block([&](unsigned i) { ones[i] = F(blocks[i]...) ? ~0U : 0; });
    }(sources.template block<kWide>(first)...);
    mask |= mask_of(reordered<kWide>(vector_at(ones))) << first;
  }
  return mask;
}

// Each meaning is compiled for all lanes and each set of sources that are VGPRs, and once more for
// some of the lanes and whatever the sources are.

template <auto F>
[[gnu::noinline]] Next run_partly(Wave& wave, const Instruction& instruction, LaneMask active) {
  using Result = Signature<F>::Result;
  if (is_one_lane(active)) { // GCC's code is scalar as a rule
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    set_lane(wave, instruction.result, lane, call<F>(wave, instruction, lane));
    return Next::kOn;
  }
  ResultRows<Result> results(wave, instruction.result, active);
  with_any_parameters<F>(wave, instruction, [&](const auto&... sources) {
    put_results<F>(results.rows(), sources...);
  });
  results.finish();
  return Next::kOn;
}
template <auto F, unsigned kVectors>
struct VectorRun {
  static Next run(Wave& wave, const Instruction& instruction) {
    const LaneMask active = wave.exec();
    if (kVectors == kAnySources || active != wave.all) {
      return run_partly<F>(wave, instruction, active);
    }
    if constexpr (kVectors != kAnySources) {
      with_parameters<F, kVectors>(wave, instruction, [&](const auto&... sources) {
        put_results<F>(&wave.v[instruction.result], sources...);
      });
    }
    return Next::kOn;
  }
};

template <auto F>
[[gnu::noinline]] Next run_masked_partly(Wave& wave, const Instruction& instruction,
                                         LaneMask active) {
  using Value = ValueOf<typename Signature<F>::Result>::Type;
  if (is_one_lane(active)) {
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    const auto made = call<F>(wave, instruction, lane);
    set_lane(wave, instruction.result, lane, made.value);
    wave.set_mask(instruction.mask, LaneMask{made.bit} << lane);
    return Next::kOn;
  }
  ResultRows<Value> results(wave, instruction.result, active);
  LaneMask bits = 0;
  with_any_parameters<F>(wave, instruction, [&](const auto&... sources) {
    bits = put_masked_results<F>(results.rows(), sources...);
  });
  results.finish();
  wave.set_mask(instruction.mask, bits & active);
  return Next::kOn;
}
template <auto F, unsigned kVectors>
struct MaskedRun {
  static Next run(Wave& wave, const Instruction& instruction) {
    const LaneMask active = wave.exec();
    if (kVectors == kAnySources || active != wave.all) {
      return run_masked_partly<F>(wave, instruction, active);
    }
    if constexpr (kVectors != kAnySources) {
      with_parameters<F, kVectors>(wave, instruction, [&](const auto&... sources) {
        const LaneMask bits = put_masked_results<F>(&wave.v[instruction.result], sources...);
        wave.set_mask(instruction.mask, bits);
      });
    }
    return Next::kOn;
  }
};

/// The active lanes in which F is true.
template <auto F, unsigned kVectors>
[[gnu::noinline]] LaneMask compare(const Wave& wave, const Instruction& instruction) {
  const LaneMask active = wave.exec();
  if (is_one_lane(active)) {
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    return LaneMask{call<F>(wave, instruction, lane)} << lane;
  }
  LaneMask found = 0;
  with_parameters<F, kVectors>(
      wave, instruction, [&](const auto&... sources) { found = mask_of_results<F>(sources...); });
  return found & active;
}

template <auto F, unsigned kVectors>
struct CompareRun {
  static Next run(Wave& wave, const Instruction& instruction) {
    wave.set_mask(instruction.mask, compare<F, kVectors>(wave, instruction));
    return Next::kOn;
  }
};
/// EXEC becomes the mask as well.
template <auto F, unsigned kVectors>
struct CompareAndSetRun {
  static Next run(Wave& wave, const Instruction& instruction) {
    const LaneMask found = compare<F, kVectors>(wave, instruction);
    wave.set_mask(instruction.mask, found);
    wave.set_mask(scalar::kExec, found);
    return Next::kOn;
  }
};

/// F's last parameter is the result's old value.
template <auto F>
[[gnu::noinline]] Next accumulate_partly(Wave& wave, const Instruction& instruction,
                                         LaneMask active) {
  using Value = Signature<F>::Result;
  const Lanes<Value> old{&wave.v[instruction.result]};
  if (is_one_lane(active)) {
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    set_lane(wave, instruction.result, lane,
             F(parameter<F, 0>(wave, instruction, lane), parameter<F, 1>(wave, instruction, lane),
               old[lane]));
    return Next::kOn;
  }
  ResultRows<Value> results(wave, instruction.result, active);
  put_results<F>(results.rows(), any_values_of<F, 0>(wave, instruction),
                 any_values_of<F, 1>(wave, instruction), old);
  results.finish();
  return Next::kOn;
}
template <auto F, unsigned kVectors>
struct AccumulateRun {
  static Next run(Wave& wave, const Instruction& instruction) {
    const LaneMask active = wave.exec();
    if (kVectors == kAnySources || active != wave.all) {
      return accumulate_partly<F>(wave, instruction, active);
    }
    if constexpr (kVectors != kAnySources) {
      auto* const rows = &wave.v[instruction.result];
      put_results<F>(rows, values_of<F, 0, kVectors>(wave, instruction),
                     values_of<F, 1, kVectors>(wave, instruction),
                     Lanes<typename Signature<F>::Result>{rows});
    }
    return Next::kOn;
  }
};

/// What runs an instruction, for each set of sources that are VGPRs.
template <template <auto, unsigned> typename Made, auto F, unsigned kSources>
inline constexpr auto kRuns =
    []<unsigned... kVectors>(std::integer_sequence<unsigned, kVectors...>) {
      return std::array{&Made<F, kVectors>::run...};
    }(std::make_integer_sequence<unsigned, 1U << kSources>());

/// Of VGPRs alone.
template <auto F>
inline constexpr unsigned kAllVectors = (1U << source_count<F>()) - 1;

/// F of the bits of its sources.
template <auto F>
Meaning::LaneResult run_lane(u64 a, u64 b, u64 c, bool bit) {
  const u64 sources[] = {a, b, c};
  const auto parameter = [&]<unsigned N>() {
    if constexpr (std::is_same_v<Parameter<F, N>, bool>) {
      return bit;
    } else {
      return from_bits<Parameter<F, N>>(sources[N]);
    }
  };
  const auto result = [&]<unsigned... N>(std::integer_sequence<unsigned, N...>) {
    return F(parameter.template operator()<N>()...);
  }(std::make_integer_sequence<unsigned, Signature<F>::kCount>());
  using Result = Signature<F>::Result;
  if constexpr (std::is_same_v<Result, bool>) {
    return {0, result};
  } else if constexpr (!std::is_same_v<Result, typename ValueOf<Result>::Type>) {
    return {to_bits(result.value), result.bit};
  } else {
    return {to_bits(result), false};
  }
}

template <template <auto, unsigned> typename Made, auto F, unsigned kSources = source_count<F>()>
constexpr void describe_runs(Meaning& meaning) {
  if constexpr (kForCompiler) {
    meaning.lane = &run_lane<F>;
  } else if constexpr (kIsCompact) {
    meaning.run = &Made<F, kAnySources>::run;
  } else {
    meaning.run = kRuns<Made, F, kSources>.back();
    meaning.runs = kRuns<Made, F, kSources>.data();
    meaning.run_sources = kSources;
  }
}

template <template <auto, unsigned> typename Made, auto G>
constexpr void describe_clamped(Meaning& meaning) {
  if constexpr (kForCompiler) {
    meaning.clamped_lane = &run_lane<G>;
  } else {
    meaning.clamped = Made<G, kAllVectors<G>>::run;
  }
}

template <auto F>
constexpr void describe_sources(Meaning& meaning, unsigned count) {
  [&]<unsigned... N>(std::integer_sequence<unsigned, N...>) {
    const auto describe = [&]<unsigned M>() {
      using P = Parameter<F, M>;
      if constexpr (std::is_same_v<P, bool>) {
        meaning.reads_mask = true;
      } else if (M < count) {
        meaning.sources[M] = type_of<P>();
      }
    };
    (describe.template operator()<N>(), ...);
  }(std::make_integer_sequence<unsigned, Signature<F>::kCount>());
}

} // namespace detail

/// result = F(sources…)
template <auto F>
constexpr Meaning vector_meaning() {
  Meaning meaning;
  detail::describe_runs<detail::VectorRun, F>(meaning);
  meaning.kind = Meaning::Kind::kVector;
  meaning.result = type_of<typename Signature<F>::Result>();
  detail::describe_sources<F>(meaning, 3);
  return meaning;
}

/// result, bit of a mask = F(sources…)
template <auto F>
constexpr Meaning masked_meaning() {
  Meaning meaning;
  detail::describe_runs<detail::MaskedRun, F>(meaning);
  meaning.kind = Meaning::Kind::kVector;
  meaning.result = type_of<typename ValueOf<typename Signature<F>::Result>::Type>();
  meaning.writes_mask = true;
  detail::describe_sources<F>(meaning, 3);
  return meaning;
}

/// bit of a mask = F(sources…). Those that compilers seldom emit are compiled once, for any
/// sources.
template <auto F, bool kSetsExec = false>
constexpr Meaning compare_meaning() {
  constexpr bool kIsSeldom =
      !detail::kForCompiler && sizeof(typename Signature<F>::template Parameter<0>) == 2;
  Meaning meaning;
  if constexpr (kSetsExec) {
    meaning.run = detail::CompareAndSetRun<F, detail::kAnySources>::run;
    meaning.writes_exec = true;
  } else if constexpr (kIsSeldom) {
    meaning.run = detail::CompareRun<F, detail::kAnySources>::run;
  } else {
    detail::describe_runs<detail::CompareRun, F>(meaning);
  }
  meaning.kind = Meaning::Kind::kCompare;
  detail::describe_sources<F>(meaning, 3);
  return meaning;
}

/// result = F(source, source, result)
template <auto F>
constexpr Meaning accumulate_meaning() {
  Meaning meaning;
  detail::describe_runs<detail::AccumulateRun, F, 2>(meaning);
  meaning.kind = Meaning::Kind::kVector;
  meaning.result = type_of<typename Signature<F>::Result>();
  meaning.reads_result = true;
  detail::describe_sources<F>(meaning, 2);
  return meaning;
}

/// Of VOP2 with a literal, which is F's last parameter.
template <auto F>
constexpr Meaning literal_meaning() {
  Meaning meaning = vector_meaning<F>();
  meaning.sources[2] = Type::kNone;
  meaning.has_literal = true;
  meaning.exact = true;
  return meaning;
}

/// F's last parameter is the lane's bit of VCC, which is no operand.
template <auto F>
constexpr Meaning vcc_meaning() {
  Meaning meaning = vector_meaning<F>();
  meaning.reads_mask = false;
  meaning.reads_vcc = true;
  return meaning;
}

/// result = F(sources…), or with a clamp G of them.
template <auto F, auto G>
constexpr Meaning clamped_meaning() {
  Meaning meaning = vector_meaning<F>();
  detail::describe_clamped<detail::VectorRun, G>(meaning);
  return meaning;
}

/// Likewise with a bit of a mask.
template <auto F, auto G>
constexpr Meaning clamped_masked_meaning() {
  Meaning meaning = masked_meaning<F>();
  detail::describe_clamped<detail::MaskedRun, G>(meaning);
  return meaning;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
