// What scalar instructions give, as the manuals of Vega describe them.
#include "scalar_form.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

namespace {

using Wide = __int128;
using Bits = std::uint64_t;
using In = const ScalarInput&;

constexpr Bits kAll = ~Bits{0};

Wide signed_of(Bits value, unsigned width) {
  const Wide top = Wide{1} << (width - 1);
  const Wide whole = low_bits(value, width);
  return whole >= top ? whole - 2 * top : whole;
}
Wide s32(Bits value) {
  return signed_of(value, 32);
}
ScalarResult only(Wide value) {
  return {static_cast<Bits>(value), false, 0};
}
template <unsigned kWidth = 32>
ScalarResult not_zero(Wide value) {
  const Bits made = low_bits(static_cast<Bits>(value), kWidth);
  return {made, made != 0, 0};
}
ScalarResult carried(Wide value) {
  return {static_cast<Bits>(value), value < 0 || value >= Wide{1} << 32, 0};
}
ScalarResult overflown(Wide value) {
  return {static_cast<Bits>(value), value != s32(static_cast<Bits>(value)), 0};
}
ScalarResult chosen(Bits value, bool first) {
  return {value, first, 0};
}
ScalarResult condition(bool value) {
  return {0, value, 0};
}
bool bit_of(Bits value, unsigned number) {
  return ((value >> number) & 1) != 0;
}
template <unsigned kWidth>
ScalarResult mirrored(In in) {
  Bits made = 0;
  for (unsigned n = 0; n < kWidth; ++n) {
    made |= Bits{bit_of(in.a, n) ? 1U : 0U} << (kWidth - 1 - n);
  }
  return only(Wide{made});
}
template <unsigned kWidth, bool kOnes>
ScalarResult counted(In in) {
  unsigned count = 0;
  for (unsigned n = 0; n < kWidth; ++n) {
    count += bit_of(in.a, n) == kOnes ? 1 : 0;
  }
  return {count, count != 0, 0};
}
/// The number of the first such bit from below; -1 if there is none.
template <unsigned kWidth, bool kOne>
ScalarResult first_from_below(In in) {
  for (unsigned n = 0; n < kWidth; ++n) {
    if (bit_of(in.a, n) == kOne) {
      return only(n);
    }
  }
  return only(-1);
}
/// How many bits are above the first one that is 1, or that is unlike the sign.
template <unsigned kWidth, bool kSigned>
ScalarResult first_from_top(In in) {
  const bool like = kSigned && bit_of(in.a, kWidth - 1);
  for (unsigned n = 0; n < kWidth; ++n) {
    if (bit_of(in.a, kWidth - 1 - n) != like) {
      return only(n);
    }
  }
  return only(-1);
}
/// b has the first bit's number, and from its bit 16 on how many there are.
template <unsigned kWidth, bool kSigned>
ScalarResult field(In in) {
  const unsigned first = in.b % kWidth;
  const unsigned count = (in.b >> 16) % 128;
  if (count == 0) {
    return not_zero<kWidth>(0);
  }
  const Wide value = kSigned ? signed_of(in.a, kWidth) : Wide{low_bits(in.a, kWidth)};
  const Wide moved = value >> first;
  const auto cut = static_cast<Bits>(moved);
  if (count >= kWidth) {
    return not_zero<kWidth>(moved);
  }
  return not_zero<kWidth>(kSigned ? signed_of(cut, count) : Wide{low_bits(cut, count)});
}
template <unsigned kWidth>
ScalarResult ones(In in) {
  return only(((Wide{1} << (in.a % kWidth)) - 1) << (in.b % kWidth));
}
template <unsigned kCount>
ScalarResult shifted_added(In in) {
  return carried((Wide{in.a} << kCount) + in.b);
}
ScalarResult saved(Bits exec, Bits value) {
  return {exec, value != 0, value};
}

#define LOGIC(name, ...)                                                                           \
  {name "_b32", "u!=uu", [](In i) { return not_zero<32>(Wide{__VA_ARGS__}); }}, {                  \
    name "_b64", "U!=UU", [](In i) { return not_zero<64>(Wide{__VA_ARGS__}); }                     \
  }
#define SAVE(name, ...)                                                                            \
  {"s_" name "_saveexec_b64", "U!x=U", [](In i) { return saved(i.exec, __VA_ARGS__); }}, {         \
    "s_" name "_saveexec_b32", "u!x=u",                                                            \
        [](In i) { return saved(i.exec, low_bits(__VA_ARGS__, 32)); }                              \
  }
#define COMPARE(name, op)                                                                          \
  {"s_cmp_" name "_i32", "-!=uu", [](In i) { return condition(s32(i.a) op s32(i.b)); }},           \
      {"s_cmp_" name "_u32", "-!=uu", [](In i) { return condition(i.a op i.b); }},                 \
      {"s_cmpk_" name "_i32", "-!=uk", [](In i) { return condition(s32(i.a) op s32(i.b)); }}, {    \
    "s_cmpk_" name "_u32", "-!=uK", [](In i) { return condition(i.a op i.b); }                     \
  }

/// The old value with one bit as `kOne` says.
template <unsigned kWidth, bool kOne>
ScalarResult with_bit(In in) {
  const Bits bit = Bits{1} << (in.a % kWidth);
  return only(kOne ? in.old | bit : in.old - (in.old & bit));
}
/// A bit for each group of four with a one in it, or the whole group.
template <unsigned kWidth, bool kWhole>
ScalarResult of_groups(In in) {
  Bits made = 0;
  for (unsigned n = 0; n < kWidth; ++n) {
    if (bit_of(in.a, n)) {
      made |= kWhole ? Bits{15} << (n / 4 * 4) : Bits{1} << (n / 4);
    }
  }
  return not_zero<kWidth>(made);
}
ScalarResult each_twice(In in) {
  Bits made = 0;
  for (unsigned n = 0; n < 64; ++n) {
    made |= Bits{bit_of(in.a, n / 2) ? 1U : 0U} << n;
  }
  return only(made);
}
ScalarResult to_exec(Bits value) {
  return {value, value != 0, value};
}

constexpr ScalarForm kForms[] = {
    {"s_cmov_b32", "u=u", [](In i) { return only(i.scc ? i.a : i.old); }},
    {"s_cmov_b64", "U=U", [](In i) { return only(i.scc ? i.a : i.old); }},
    {"s_cmovk_i32", "u=k", [](In i) { return only(i.scc ? i.a : i.old); }},
    {"s_bitset0_b32", "u=u", with_bit<32, false>},
    {"s_bitset1_b32", "u=u", with_bit<32, true>},
    {"s_bitset0_b64", "U=u", with_bit<64, false>},
    {"s_bitset1_b64", "U=u", with_bit<64, true>},
    {"s_bitreplicate_b64_b32", "U=u", each_twice},
    {"s_quadmask_b32", "u!=u", of_groups<32, false>},
    {"s_quadmask_b64", "U!=U", of_groups<64, false>},
    {"s_wqm_b32", "u!=u", of_groups<32, true>},
    {"s_wqm_b64", "U!=U", of_groups<64, true>},
    {"s_andn1_wrexec_b32", "u!x=u", [](In i) { return to_exec(low_bits(~i.a & i.exec, 32)); }},
    {"s_andn2_wrexec_b32", "u!x=u", [](In i) { return to_exec(low_bits(i.a & ~i.exec, 32)); }},
    {"s_andn1_wrexec_b64", "U!x=U", [](In i) { return to_exec(~i.a & i.exec); }},
    {"s_andn2_wrexec_b64", "U!x=U", [](In i) { return to_exec(i.a & ~i.exec); }},
    {"s_mov_b32", "u=u", [](In i) { return only(Wide{i.a}); }},
    {"s_mov_b64", "U=U", [](In i) { return only(Wide{i.a}); }},
    {"s_movk_i32", "u=k", [](In i) { return only(s32(i.a)); }},
    {"s_not_b32", "u!=u", [](In i) { return not_zero(Wide{0xffffffff} - i.a); }},
    {"s_not_b64", "U!=U", [](In i) { return not_zero<64>(Wide{kAll} - i.a); }},
    {"s_brev_b32", "u=u", mirrored<32>},
    {"s_brev_b64", "U=U", mirrored<64>},
    {"s_bcnt0_i32_b32", "u!=u", counted<32, false>},
    {"s_bcnt0_i32_b64", "u!=U", counted<64, false>},
    {"s_bcnt1_i32_b32", "u!=u", counted<32, true>},
    {"s_bcnt1_i32_b64", "u!=U", counted<64, true>},
    {"s_ff0_i32_b32", "u=u", first_from_below<32, false>},
    {"s_ff0_i32_b64", "u=U", first_from_below<64, false>},
    {"s_ff1_i32_b32", "u=u", first_from_below<32, true>},
    {"s_ff1_i32_b64", "u=U", first_from_below<64, true>},
    {"s_flbit_i32_b32", "u=u", first_from_top<32, false>},
    {"s_flbit_i32_b64", "u=U", first_from_top<64, false>},
    {"s_flbit_i32", "u=u", first_from_top<32, true>},
    {"s_flbit_i32_i64", "u=I", first_from_top<64, true>},
    {"s_sext_i32_i8", "u=u", [](In i) { return only(signed_of(i.a, 8)); }},
    {"s_sext_i32_i16", "u=u", [](In i) { return only(signed_of(i.a, 16)); }},
    {"s_abs_i32", "u!=u", [](In i) { return not_zero(s32(i.a) < 0 ? -s32(i.a) : s32(i.a)); }},

    LOGIC("s_and", i.a & i.b),
    LOGIC("s_or", i.a | i.b),
    LOGIC("s_xor", i.a ^ i.b),
    LOGIC("s_andn2", i.a - (i.a & i.b)),
    LOGIC("s_orn2", i.a | (kAll - i.b)),
    LOGIC("s_nand", kAll - (i.a & i.b)),
    LOGIC("s_nor", kAll - (i.a | i.b)),
    LOGIC("s_xnor", kAll - (i.a ^ i.b)),
    {"s_lshl_b32", "u!=uu", [](In i) { return not_zero(Wide{i.a} << (i.b % 32)); }},
    {"s_lshl_b64", "U!=Uu", [](In i) { return not_zero<64>(Wide{i.a} << (i.b % 64)); }},
    {"s_lshr_b32", "u!=uu", [](In i) { return not_zero(Wide{i.a} >> (i.b % 32)); }},
    {"s_lshr_b64", "U!=Uu", [](In i) { return not_zero<64>(Wide{i.a} >> (i.b % 64)); }},
    {"s_ashr_i32", "u!=uu", [](In i) { return not_zero(s32(i.a) >> (i.b % 32)); }},
    {"s_ashr_i64", "U!=Iu", [](In i) { return not_zero<64>(signed_of(i.a, 64) >> (i.b % 64)); }},
    {"s_bfm_b32", "u=uu", ones<32>},
    {"s_bfm_b64", "U=uu", ones<64>},
    {"s_bfe_u32", "u!=uu", field<32, false>},
    {"s_bfe_i32", "u!=uu", field<32, true>},
    {"s_bfe_u64", "U!=Uu", field<64, false>},
    {"s_bfe_i64", "U!=Iu", field<64, true>},
    {"s_pack_ll_b32_b16", "u=uu",
     [](In i) { return only(Wide{i.a % 65536 + i.b % 65536 * 65536}); }},
    {"s_pack_hl_b32_b16", "u=uu", [](In i) { return only(i.a / 65536 + (i.b % 65536) * 65536); }},
    {"s_pack_lh_b32_b16", "u=uu",
     [](In i) { return only(Wide{i.a % 65536 + i.b / 65536 * 65536}); }},
    {"s_pack_hh_b32_b16", "u=uu",
     [](In i) { return only(Wide{i.a / 65536 + i.b / 65536 * 65536}); }},

    {"s_add_u32", "u!=uu", [](In i) { return carried(Wide{i.a} + i.b); }},
    {"s_addc_u32", "u!=uu", [](In i) { return carried(Wide{i.a} + i.b + (i.scc ? 1 : 0)); }},
    {"s_sub_u32", "u!=uu", [](In i) { return carried(Wide{i.a} - i.b); }},
    {"s_subb_u32", "u!=uu", [](In i) { return carried(Wide{i.a} - i.b - (i.scc ? 1 : 0)); }},
    {"s_add_i32", "u!=uu", [](In i) { return overflown(s32(i.a) + s32(i.b)); }},
    {"s_addk_i32", "u!=uk+", [](In i) { return overflown(s32(i.a) + s32(i.b)); }},
    {"s_sub_i32", "u!=uu", [](In i) { return overflown(s32(i.a) - s32(i.b)); }},
    {"s_lshl1_add_u32", "u!=uu", shifted_added<1>},
    {"s_lshl2_add_u32", "u!=uu", shifted_added<2>},
    {"s_lshl3_add_u32", "u!=uu", shifted_added<3>},
    {"s_lshl4_add_u32", "u!=uu", shifted_added<4>},
    {"s_mul_i32", "u=uu", [](In i) { return only(s32(i.a) * s32(i.b)); }},
    {"s_mulk_i32", "u=uk+", [](In i) { return only(s32(i.a) * s32(i.b)); }},
    {"s_mul_hi_u32", "u=uu", [](In i) { return only((Wide{i.a} * i.b) >> 32); }},
    {"s_mul_hi_i32", "u=uu", [](In i) { return only((s32(i.a) * s32(i.b)) >> 32); }},
    {"s_absdiff_i32", "u!=uu",
     [](In i) { // of the difference that 32 bits hold
       const Wide difference = s32(static_cast<Bits>(s32(i.a) - s32(i.b)));
       return not_zero(difference < 0 ? -difference : difference);
     }},
    {"s_min_u32", "u!=uu", [](In i) { return chosen(std::min(i.a, i.b), i.a < i.b); }},
    {"s_max_u32", "u!=uu", [](In i) { return chosen(std::max(i.a, i.b), i.a >= i.b); }},
    {"s_min_i32", "u!=uu",
     [](In i) {
       const bool first = s32(i.a) < s32(i.b);
       return chosen(first ? i.a : i.b, first);
     }},
    {"s_max_i32", "u!=uu",
     [](In i) {
       const bool first = s32(i.a) >= s32(i.b);
       return chosen(first ? i.a : i.b, first);
     }},
    {"s_cselect_b32", "u=uu", [](In i) { return only(Wide{i.scc ? i.a : i.b}); }},
    {"s_cselect_b64", "U=UU", [](In i) { return only(Wide{i.scc ? i.a : i.b}); }},

    COMPARE("eq", ==),
    COMPARE("lg", !=),
    COMPARE("gt", >),
    COMPARE("ge", >=),
    COMPARE("lt", <),
    COMPARE("le", <=),
    {"s_cmp_eq_u64", "-!=UU", [](In i) { return condition(i.a == i.b); }},
    {"s_cmp_lg_u64", "-!=UU", [](In i) { return condition(i.a != i.b); }},
    {"s_bitcmp0_b32", "-!=uu", [](In i) { return condition(!bit_of(i.a, i.b % 32)); }},
    {"s_bitcmp1_b32", "-!=uu", [](In i) { return condition(bit_of(i.a, i.b % 32)); }},
    {"s_bitcmp0_b64", "-!=Uu", [](In i) { return condition(!bit_of(i.a, i.b % 64)); }},
    {"s_bitcmp1_b64", "-!=Uu", [](In i) { return condition(bit_of(i.a, i.b % 64)); }},

    SAVE("and", i.a & i.exec),
    SAVE("or", i.a | i.exec),
    SAVE("xor", i.a ^ i.exec),
    SAVE("andn1", i.exec&(kAll - i.a)),
    SAVE("andn2", i.a&(kAll - i.exec)),
    SAVE("orn1", i.exec | (kAll - i.a)),
    SAVE("orn2", i.a | (kAll - i.exec)),
    SAVE("nand", kAll - (i.a & i.exec)),
    SAVE("nor", kAll - (i.a | i.exec)),
    SAVE("xnor", kAll - (i.a ^ i.exec)),
};

} // namespace

std::span<const ScalarForm> scalar_forms() {
  return kForms;
}

} // namespace gantry::simt::amdgcn
