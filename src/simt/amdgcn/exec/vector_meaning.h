// Makes meanings of vector instructions out of functions of one lane.
#pragma once

#include "simt/amdgcn/exec/operands.h"

namespace gantry::simt::amdgcn {

namespace detail {

template <auto F, unsigned N>
using Parameter = Signature<F>::template Parameter<N>;

/// Calls `use` with the values of all parameters of F.
template <auto F, unsigned N = 0, typename Use, typename... Got>
void with_parameters(const Wave& wave, const Instruction& instruction, Use use, Got... got) {
  if constexpr (N == Signature<F>::kCount) {
    use(got...);
  } else {
    const auto go_on = [&](auto next) {
      with_parameters<F, N + 1>(wave, instruction, use, got..., next);
    };
    if constexpr (std::is_same_v<Parameter<F, N>, bool>) {
      go_on(Bits{scalar_source<u64>(wave, instruction.sources[3])});
    } else {
      with_source<Parameter<F, N>>(wave, instruction.sources[N], go_on);
    }
  }
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

template <auto F>
Next run_vector(Wave& wave, const Instruction& instruction) {
  using Result = Signature<F>::Result;
  const LaneMask active = wave.exec();
  if (is_one_lane(active)) { // GCC's code is scalar as a rule
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    set_lane(wave, instruction.result, lane, call<F>(wave, instruction, lane));
    return Next::kOn;
  }
  Result values[kLanes];
  with_parameters<F>(wave, instruction, [&](auto... sources) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      values[lane] = F(sources[lane]...);
    }
  });
  set_lanes(wave, instruction.result, values, active);
  return Next::kOn;
}

template <auto F>
Next run_masked(Wave& wave, const Instruction& instruction) {
  using Value = ValueOf<typename Signature<F>::Result>::Type;
  const LaneMask active = wave.exec();
  LaneMask bits = 0;
  if (is_one_lane(active)) {
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    const auto made = call<F>(wave, instruction, lane);
    set_lane(wave, instruction.result, lane, made.value);
    bits = LaneMask{made.bit} << lane;
  } else {
    Value values[kLanes];
    with_parameters<F>(wave, instruction, [&](auto... sources) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const auto made = F(sources[lane]...);
        values[lane] = made.value;
        bits |= LaneMask{made.bit} << lane;
      }
    });
    set_lanes(wave, instruction.result, values, active);
  }
  wave.set_pair(instruction.mask, bits & active);
  return Next::kOn;
}

template <auto F, bool kSetsExec>
Next run_compare(Wave& wave, const Instruction& instruction) {
  const LaneMask active = wave.exec();
  LaneMask bits = 0;
  if (is_one_lane(active)) {
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    bits = LaneMask{call<F>(wave, instruction, lane)} << lane;
  } else {
    with_parameters<F>(wave, instruction, [&](auto... sources) {
      u8 found[kLanes];
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        found[lane] = F(sources[lane]...) ? 1 : 0;
      }
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        bits |= LaneMask{found[lane]} << lane;
      }
    });
    bits &= active;
  }
  wave.set_pair(instruction.mask, bits);
  if constexpr (kSetsExec) {
    wave.set_pair(scalar::kExec, bits);
  }
  return Next::kOn;
}

/// F's last parameter is the result's old value.
template <auto F>
Next run_accumulate(Wave& wave, const Instruction& instruction) {
  using Value = Signature<F>::Result;
  const LaneMask active = wave.exec();
  const Lanes<Value> old{&wave.v[instruction.result]};
  Value values[kLanes];
  with_source<Parameter<F, 0>>(wave, instruction.sources[0], [&](auto first) {
    with_source<Parameter<F, 1>>(wave, instruction.sources[1], [&](auto second) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        values[lane] = F(first[lane], second[lane], old[lane]);
      }
    });
  });
  set_lanes(wave, instruction.result, values, active);
  return Next::kOn;
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
  meaning.run = detail::run_vector<F>;
  meaning.kind = Meaning::Kind::kVector;
  meaning.result = type_of<typename Signature<F>::Result>();
  detail::describe_sources<F>(meaning, 3);
  return meaning;
}

/// result, bit of a mask = F(sources…)
template <auto F>
constexpr Meaning masked_meaning() {
  Meaning meaning;
  meaning.run = detail::run_masked<F>;
  meaning.kind = Meaning::Kind::kVector;
  meaning.result = type_of<typename ValueOf<typename Signature<F>::Result>::Type>();
  meaning.writes_mask = true;
  detail::describe_sources<F>(meaning, 3);
  return meaning;
}

/// bit of a mask = F(sources…)
template <auto F, bool kSetsExec = false>
constexpr Meaning compare_meaning() {
  Meaning meaning;
  meaning.run = detail::run_compare<F, kSetsExec>;
  meaning.kind = Meaning::Kind::kCompare;
  detail::describe_sources<F>(meaning, 3);
  return meaning;
}

/// result = F(source, source, result)
template <auto F>
constexpr Meaning accumulate_meaning() {
  Meaning meaning;
  meaning.run = detail::run_accumulate<F>;
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
  meaning.clamped = detail::run_vector<G>;
  return meaning;
}

/// Likewise with a bit of a mask.
template <auto F, auto G>
constexpr Meaning clamped_masked_meaning() {
  Meaning meaning = masked_meaning<F>();
  meaning.clamped = detail::run_masked<G>;
  return meaning;
}

struct MeaningEntry {
  std::string_view mnemonic;
  Meaning meaning;
};

} // namespace gantry::simt::amdgcn
