// Operations of SGPRs.
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

namespace {

/// A scalar result and what becomes of SCC.
template <typename T>
struct WithScc {
  T value;
  bool scc;
};
template <typename T>
WithScc(T, bool) -> WithScc<T>;

template <typename T>
struct ScalarResult {
  using Type = T;
  static constexpr bool kHasScc = false;
};
template <typename T>
struct ScalarResult<WithScc<T>> {
  using Type = T;
  static constexpr bool kHasScc = true;
};

template <typename T>
void set_scalar(Wave& wave, unsigned first, T value) {
  if constexpr (sizeof(T) == 8) {
    wave.set_pair(first, to_bits(value));
  } else {
    wave.s[first] = static_cast<u32>(to_bits(value));
  }
}

/// F of the sources; a parameter of type bool is SCC.
template <auto F, unsigned... N>
auto call_scalar(const Wave& wave, const Instruction& instruction,
                 std::integer_sequence<unsigned, N...>) {
  const auto source = [&]<unsigned M>() {
    using P = detail::Parameter<F, M>;
    if constexpr (std::is_same_v<P, bool>) {
      return wave.s[scalar::kScc] != 0;
    } else {
      return scalar_source<P>(wave, instruction.sources[M]);
    }
  };
  return F(source.template operator()<N>()...);
}
template <auto F>
auto call_scalar(const Wave& wave, const Instruction& instruction) {
  return call_scalar<F>(wave, instruction,
                        std::make_integer_sequence<unsigned, Signature<F>::kCount>());
}

template <auto F>
Next run_scalar(Wave& wave, const Instruction& instruction) {
  using Result = ScalarResult<typename Signature<F>::Result>;
  const auto made = call_scalar<F>(wave, instruction);
  if constexpr (Result::kHasScc) {
    set_scalar(wave, instruction.result, made.value);
    wave.s[scalar::kScc] = made.scc ? 1 : 0;
  } else {
    set_scalar(wave, instruction.result, made);
  }
  return Next::kOn;
}

template <auto F>
Next run_scalar_compare(Wave& wave, const Instruction& instruction) {
  wave.s[scalar::kScc] = call_scalar<F>(wave, instruction) ? 1 : 0;
  return Next::kOn;
}

/// EXEC, or its lower half in the forms of 32 bits, = F(source, EXEC); the result is what EXEC was,
/// or is.
template <auto F, bool kSaves>
Next run_on_exec(Wave& wave, const Instruction& instruction) {
  using T = Signature<F>::Result;
  const T old = scalar_source<T>(wave, {Source::Kind::kScalar, scalar::kExec});
  const T made = F(scalar_source<T>(wave, instruction.sources[0]), old);
  set_scalar(wave, instruction.result, kSaves ? old : made);
  set_scalar(wave, scalar::kExec, made);
  wave.s[scalar::kScc] = made != 0 ? 1 : 0;
  return Next::kOn;
}

/// result = source, if SCC is set
template <typename T>
Next run_conditional_move(Wave& wave, const Instruction& instruction) {
  if (wave.s[scalar::kScc] != 0) {
    set_scalar(wave, instruction.result, scalar_source<T>(wave, instruction.sources[0]));
  }
  return Next::kOn;
}

/// One bit of the result.
template <typename T, bool kBit>
Next run_set_bit(Wave& wave, const Instruction& instruction) {
  const u32 number = scalar_source<u32>(wave, instruction.sources[0]) & (sizeof(T) * 8 - 1);
  const Source place = {Source::Kind::kScalar, instruction.result};
  const T old = scalar_source<T>(wave, place);
  const T bit = T{1} << number;
  set_scalar(wave, instruction.result, kBit ? old | bit : old & ~bit);
  return Next::kOn;
}

template <auto F>
constexpr void describe_scalar_sources(Meaning& meaning) {
  [&]<unsigned... N>(std::integer_sequence<unsigned, N...>) {
    const auto describe = [&]<unsigned M>() {
      using P = detail::Parameter<F, M>;
      if constexpr (!std::is_same_v<P, bool>) {
        meaning.sources[M] = type_of<P>();
      }
    };
    (describe.template operator()<N>(), ...);
  }(std::make_integer_sequence<unsigned, Signature<F>::kCount>());
}

template <auto F>
constexpr Meaning scalar_meaning() {
  Meaning meaning;
  meaning.run = run_scalar<F>;
  meaning.result = type_of<typename ScalarResult<typename Signature<F>::Result>::Type>();
  describe_scalar_sources<F>(meaning);
  return meaning;
}
template <auto F>
constexpr Meaning scalar_compare_meaning() {
  Meaning meaning;
  meaning.run = run_scalar_compare<F>;
  describe_scalar_sources<F>(meaning);
  return meaning;
}
template <auto F>
constexpr Meaning save_exec_meaning() {
  Meaning meaning;
  meaning.run = run_on_exec<F, true>;
  meaning.result = type_of<typename Signature<F>::Result>();
  meaning.sources[0] = meaning.result;
  return meaning;
}

constexpr Meaning moving_meaning(Meaning::Run run, Type result, Type source) {
  Meaning meaning;
  meaning.run = run;
  meaning.result = result;
  meaning.sources[0] = source;
  return meaning;
}

constexpr i32 s(u32 x) {
  return static_cast<i32>(x);
}
/// SCC says that the result is not zero.
template <typename T>
constexpr WithScc<T> not_zero(T value) {
  return {value, value != 0};
}
constexpr WithScc<u32> added(u32 a, u32 b, bool carry) {
  const u64 sum = u64{a} + b + u64{carry};
  return {static_cast<u32>(sum), (sum >> 32) != 0};
}
constexpr WithScc<u32> added_signed(u32 a, u32 b) {
  i32 sum = 0;
  const bool overflow = __builtin_add_overflow(s(a), s(b), &sum);
  return {static_cast<u32>(sum), overflow};
}
constexpr WithScc<u32> shifted_added(u32 a, unsigned count, u32 b) {
  const u64 sum = (u64{a} << count) + b;
  return {static_cast<u32>(sum), (sum >> 32) != 0};
}
/// The field's first bit is b's bits 4:0 (5:0), its size b's bits 22:16. What lies beyond the
/// register's bits is zero, or of a signed T the sign.
template <typename T>
constexpr T field(T x, u32 where) {
  constexpr unsigned kBits = sizeof(T) * 8;
  const unsigned size = (where >> 16) & 0x7f;
  const T moved = x >> (where & (kBits - 1));
  if (size == 0 || size >= kBits) {
    return size == 0 ? 0 : moved;
  }
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<U>(moved) << (kBits - size)) >> (kBits - size);
}
template <typename T>
constexpr T lowest_bits(u32 count, u32 first) {
  constexpr unsigned kBits = sizeof(T) * 8;
  return ((T{1} << (count & (kBits - 1))) - 1) << (first & (kBits - 1));
}
template <typename T>
constexpr u32 first_one_from_top(T x) {
  return x == 0 ? ~0U : static_cast<u32>(std::countl_zero(x));
}
template <typename T>
constexpr u32 first_unlike_sign(T x) {
  constexpr unsigned kBits = sizeof(T) * 8;
  return first_one_from_top((x >> (kBits - 1)) != 0 ? static_cast<T>(~x) : x);
}
constexpr u32 half(u32 x) {
  return x & 0xffff;
}

/// Each bit twice.
constexpr u64 doubled_bits(u32 x) {
  u64 made = 0;
  for (unsigned i = 0; i < 32; ++i) {
    made |= ((u64{x} >> i) & 1) * 3 << (2 * i);
  }
  return made;
}
/// A bit for each group of four that is not zero; or all four of them.
template <bool kAll, typename T>
constexpr T quads(T x) {
  T made = 0;
  for (unsigned i = 0; i < sizeof(T) * 2; ++i) {
    if (((x >> (4 * i)) & 0xf) != 0) {
      made |= kAll ? T{0xf} << (4 * i) : T{1} << i;
    }
  }
  return made;
}

// An operation in its forms of 32 and 64 bits.
#define BOTH(name, ...)                                                                            \
  {name "_b32", scalar_meaning<[](u32 a, u32 b) { return not_zero<u32>(__VA_ARGS__); }>()}, {      \
    name "_b64", scalar_meaning<[](u64 a, u64 b) { return not_zero<u64>(__VA_ARGS__); }>()         \
  }
#define SAVE_EXEC(name, ...)                                                                       \
  {"s_" name "_saveexec_b32", save_exec_meaning<[](u32 a, u32 exec) { return __VA_ARGS__; }>()}, { \
    "s_" name "_saveexec_b64", save_exec_meaning<[](u64 a, u64 exec) { return __VA_ARGS__; }>()    \
  }
// Of registers, and of a register with the 16 bits of SOPK.
#define COMPARE(name, ...)                                                                         \
  {"s_cmp_" name "_i32", scalar_compare_meaning<[](u32 x, u32 y) {                                 \
     const i32 a = s(x), b = s(y);                                                                 \
     return __VA_ARGS__;                                                                           \
   }>()},                                                                                          \
      {"s_cmp_" name "_u32", scalar_compare_meaning<[](u32 a, u32 b) { return __VA_ARGS__; }>()},  \
      {"s_cmpk_" name "_i32", scalar_compare_meaning<[](u32 x, u32 y) {                            \
         const i32 a = s(x), b = s(y);                                                             \
         return __VA_ARGS__;                                                                       \
       }>()},                                                                                      \
  {                                                                                                \
    "s_cmpk_" name "_u32", scalar_compare_meaning<[](u32 a, u32 y) {                               \
      const u32 b = half(y);                                                                       \
      return __VA_ARGS__;                                                                          \
    }>()                                                                                           \
  }

constexpr MeaningEntry kMeanings[] = {
    {"s_mov_b32", scalar_meaning<[](u32 a) { return a; }>()},
    {"s_mov_b64", scalar_meaning<[](u64 a) { return a; }>()},
    {"s_movk_i32", scalar_meaning<[](u32 a) { return a; }>()},
    {"s_not_b32", scalar_meaning<[](u32 a) { return not_zero(~a); }>()},
    {"s_not_b64", scalar_meaning<[](u64 a) { return not_zero(~a); }>()},
    {"s_brev_b32", scalar_meaning<[](u32 a) { return u32{__builtin_bitreverse32(a)}; }>()},
    {"s_brev_b64", scalar_meaning<[](u64 a) { return u64{__builtin_bitreverse64(a)}; }>()},
    {"s_bcnt0_i32_b32",
     scalar_meaning<[](u32 a) { return not_zero(static_cast<u32>(std::popcount(~a))); }>()},
    {"s_bcnt0_i32_b64",
     scalar_meaning<[](u64 a) { return not_zero(static_cast<u32>(std::popcount(~a))); }>()},
    {"s_bcnt1_i32_b32",
     scalar_meaning<[](u32 a) { return not_zero(static_cast<u32>(std::popcount(a))); }>()},
    {"s_bcnt1_i32_b64",
     scalar_meaning<[](u64 a) { return not_zero(static_cast<u32>(std::popcount(a))); }>()},
    {"s_ff0_i32_b32",
     scalar_meaning<[](u32 a) { return ~a == 0 ? ~0U : static_cast<u32>(std::countr_one(a)); }>()},
    {"s_ff0_i32_b64",
     scalar_meaning<[](u64 a) { return ~a == 0 ? ~0U : static_cast<u32>(std::countr_one(a)); }>()},
    {"s_ff1_i32_b32",
     scalar_meaning<[](u32 a) { return a == 0 ? ~0U : static_cast<u32>(std::countr_zero(a)); }>()},
    {"s_ff1_i32_b64",
     scalar_meaning<[](u64 a) { return a == 0 ? ~0U : static_cast<u32>(std::countr_zero(a)); }>()},
    {"s_flbit_i32_b32", scalar_meaning<[](u32 a) { return first_one_from_top(a); }>()},
    {"s_flbit_i32_b64", scalar_meaning<[](u64 a) { return first_one_from_top(a); }>()},
    {"s_flbit_i32", scalar_meaning<[](u32 a) { return first_unlike_sign(a); }>()},
    {"s_flbit_i32_i64",
     scalar_meaning<[](i64 a) { return first_unlike_sign(static_cast<u64>(a)); }>()},
    {"s_sext_i32_i8",
     scalar_meaning<[](u32 a) { return static_cast<u32>(static_cast<std::int8_t>(a)); }>()},
    {"s_sext_i32_i16",
     scalar_meaning<[](u32 a) { return static_cast<u32>(static_cast<i16>(a)); }>()},
    {"s_abs_i32", scalar_meaning<[](u32 a) { return not_zero(s(a) < 0 ? 0 - a : a); }>()},

    BOTH("s_and", a& b),
    BOTH("s_or", a | b),
    BOTH("s_xor", a ^ b),
    BOTH("s_andn2", a & ~b),
    BOTH("s_orn2", a | ~b),
    BOTH("s_nand", ~(a& b)),
    BOTH("s_nor", ~(a | b)),
    BOTH("s_xnor", ~(a ^ b)),
    {"s_lshl_b32", scalar_meaning<[](u32 a, u32 b) { return not_zero(a << (b & 31)); }>()},
    {"s_lshl_b64", scalar_meaning<[](u64 a, u32 b) { return not_zero(a << (b & 63)); }>()},
    {"s_lshr_b32", scalar_meaning<[](u32 a, u32 b) { return not_zero(a >> (b & 31)); }>()},
    {"s_lshr_b64", scalar_meaning<[](u64 a, u32 b) { return not_zero(a >> (b & 63)); }>()},
    {"s_ashr_i32",
     scalar_meaning<[](u32 a, u32 b) { return not_zero(static_cast<u32>(s(a) >> (b & 31))); }>()},
    {"s_ashr_i64", scalar_meaning<[](i64 a, u32 b) { return not_zero(a >> (b & 63)); }>()},
    {"s_bfm_b32", scalar_meaning<[](u32 a, u32 b) { return lowest_bits<u32>(a, b); }>()},
    {"s_bfm_b64", scalar_meaning<[](u32 a, u32 b) { return lowest_bits<u64>(a, b); }>()},
    {"s_bfe_u32", scalar_meaning<[](u32 a, u32 b) { return not_zero(field(a, b)); }>()},
    {"s_bfe_i32",
     scalar_meaning<[](u32 a, u32 b) { return not_zero(static_cast<u32>(field(s(a), b))); }>()},
    {"s_bfe_u64", scalar_meaning<[](u64 a, u32 b) { return not_zero(field(a, b)); }>()},
    {"s_bfe_i64", scalar_meaning<[](i64 a, u32 b) { return not_zero(field(a, b)); }>()},
    {"s_pack_ll_b32_b16", scalar_meaning<[](u32 a, u32 b) { return half(a) | b << 16; }>()},
    {"s_pack_lh_b32_b16",
     scalar_meaning<[](u32 a, u32 b) { return half(a) | (b & 0xffff0000); }>()},
    {"s_pack_hl_b32_b16", scalar_meaning<[](u32 a, u32 b) { return (a >> 16) | b << 16; }>()},
    {"s_pack_hh_b32_b16",
     scalar_meaning<[](u32 a, u32 b) { return (a >> 16) | (b & 0xffff0000); }>()},

    {"s_add_u32", scalar_meaning<[](u32 a, u32 b) { return added(a, b, false); }>()},
    {"s_addc_u32", scalar_meaning<[](u32 a, u32 b, bool scc) { return added(a, b, scc); }>()},
    {"s_sub_u32", scalar_meaning<[](u32 a, u32 b) { return WithScc{a - b, a < b}; }>()},
    {"s_subb_u32", scalar_meaning<[](u32 a, u32 b, bool scc) {
       return WithScc{a - b - u32{scc}, u64{a} < u64{b} + u64{scc}};
     }>()},
    {"s_add_i32", scalar_meaning<[](u32 a, u32 b) { return added_signed(a, b); }>()},
    {"s_addk_i32", scalar_meaning<[](u32 a, u32 b) { return added_signed(a, b); }>()},
    {"s_sub_i32", scalar_meaning<[](u32 a, u32 b) {
       i32 made = 0;
       const bool overflow = __builtin_sub_overflow(s(a), s(b), &made);
       return WithScc{static_cast<u32>(made), overflow};
     }>()},
    {"s_lshl1_add_u32", scalar_meaning<[](u32 a, u32 b) { return shifted_added(a, 1, b); }>()},
    {"s_lshl2_add_u32", scalar_meaning<[](u32 a, u32 b) { return shifted_added(a, 2, b); }>()},
    {"s_lshl3_add_u32", scalar_meaning<[](u32 a, u32 b) { return shifted_added(a, 3, b); }>()},
    {"s_lshl4_add_u32", scalar_meaning<[](u32 a, u32 b) { return shifted_added(a, 4, b); }>()},
    {"s_mul_i32", scalar_meaning<[](u32 a, u32 b) { return a * b; }>()},
    {"s_mulk_i32", scalar_meaning<[](u32 a, u32 b) { return a * b; }>()},
    {"s_mul_hi_u32",
     scalar_meaning<[](u32 a, u32 b) { return static_cast<u32>((u64{a} * b) >> 32); }>()},
    {"s_mul_hi_i32",
     scalar_meaning<[](u32 a, u32 b) { return static_cast<u32>((i64{s(a)} * s(b)) >> 32); }>()},
    {"s_absdiff_i32",
     scalar_meaning<[](u32 a, u32 b) { return not_zero(s(a - b) < 0 ? b - a : a - b); }>()},
    {"s_min_u32", scalar_meaning<[](u32 a, u32 b) { return WithScc{std::min(a, b), a < b}; }>()},
    {"s_max_u32", scalar_meaning<[](u32 a, u32 b) { return WithScc{std::max(a, b), a >= b}; }>()},
    {"s_min_i32",
     scalar_meaning<[](u32 a, u32 b) { return WithScc{s(a) < s(b) ? a : b, s(a) < s(b)}; }>()},
    {"s_max_i32",
     scalar_meaning<[](u32 a, u32 b) { return WithScc{s(a) > s(b) ? a : b, s(a) >= s(b)}; }>()},
    {"s_cselect_b32", scalar_meaning<[](u32 a, u32 b, bool scc) { return scc ? a : b; }>()},
    {"s_cselect_b64", scalar_meaning<[](u64 a, u64 b, bool scc) { return scc ? a : b; }>()},

    COMPARE("eq", a == b),
    COMPARE("lg", a != b),
    COMPARE("gt", a > b),
    COMPARE("ge", a >= b),
    COMPARE("lt", a < b),
    COMPARE("le", a <= b),
    {"s_cmp_eq_u64", scalar_compare_meaning<[](u64 a, u64 b) { return a == b; }>()},
    {"s_cmp_lg_u64", scalar_compare_meaning<[](u64 a, u64 b) { return a != b; }>()},
    {"s_bitcmp0_b32",
     scalar_compare_meaning<[](u32 a, u32 b) { return ((a >> (b & 31)) & 1) == 0; }>()},
    {"s_bitcmp1_b32",
     scalar_compare_meaning<[](u32 a, u32 b) { return ((a >> (b & 31)) & 1) != 0; }>()},
    {"s_bitcmp0_b64",
     scalar_compare_meaning<[](u64 a, u32 b) { return ((a >> (b & 63)) & 1) == 0; }>()},
    {"s_bitcmp1_b64",
     scalar_compare_meaning<[](u64 a, u32 b) { return ((a >> (b & 63)) & 1) != 0; }>()},

    {"s_cmov_b32", moving_meaning(run_conditional_move<u32>, Type::kB32, Type::kB32)},
    {"s_cmov_b64", moving_meaning(run_conditional_move<u64>, Type::kB64, Type::kB64)},
    {"s_cmovk_i32", moving_meaning(run_conditional_move<u32>, Type::kB32, Type::kB32)},
    {"s_bitset0_b32", moving_meaning(run_set_bit<u32, false>, Type::kB32, Type::kB32)},
    {"s_bitset1_b32", moving_meaning(run_set_bit<u32, true>, Type::kB32, Type::kB32)},
    {"s_bitset0_b64", moving_meaning(run_set_bit<u64, false>, Type::kB64, Type::kB32)},
    {"s_bitset1_b64", moving_meaning(run_set_bit<u64, true>, Type::kB64, Type::kB32)},
    {"s_bitreplicate_b64_b32", scalar_meaning<[](u32 a) { return doubled_bits(a); }>()},
    {"s_quadmask_b32", scalar_meaning<[](u32 a) { return not_zero(quads<false>(a)); }>()},
    {"s_quadmask_b64", scalar_meaning<[](u64 a) { return not_zero(quads<false>(a)); }>()},
    {"s_wqm_b32", scalar_meaning<[](u32 a) { return not_zero(quads<true>(a)); }>()},
    {"s_wqm_b64", scalar_meaning<[](u64 a) { return not_zero(quads<true>(a)); }>()},
    {"s_andn1_wrexec_b32",
     moving_meaning(run_on_exec<[](u32 a, u32 exec) { return ~a & exec; }, false>, Type::kB32,
                    Type::kB32)},
    {"s_andn2_wrexec_b32",
     moving_meaning(run_on_exec<[](u32 a, u32 exec) { return a & ~exec; }, false>, Type::kB32,
                    Type::kB32)},
    {"s_andn1_wrexec_b64",
     moving_meaning(run_on_exec<[](u64 a, u64 exec) { return ~a & exec; }, false>, Type::kB64,
                    Type::kB64)},
    {"s_andn2_wrexec_b64",
     moving_meaning(run_on_exec<[](u64 a, u64 exec) { return a & ~exec; }, false>, Type::kB64,
                    Type::kB64)},

    SAVE_EXEC("and", a& exec),
    SAVE_EXEC("or", a | exec),
    SAVE_EXEC("xor", a ^ exec),
    SAVE_EXEC("andn1", ~a& exec),
    SAVE_EXEC("andn2", a & ~exec),
    SAVE_EXEC("orn1", ~a | exec),
    SAVE_EXEC("orn2", a | ~exec),
    SAVE_EXEC("nand", ~(a& exec)),
    SAVE_EXEC("nor", ~(a | exec)),
    SAVE_EXEC("xnor", ~(a ^ exec)),
};

} // namespace

std::span<const MeaningEntry> scalar_meanings() {
  return kMeanings;
}

} // namespace gantry::simt::amdgcn
