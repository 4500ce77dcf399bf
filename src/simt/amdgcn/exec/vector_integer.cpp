// Integer and bit operations of one lane.
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>
#include <limits>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

constexpr u32 low24(u32 x) {
  return x & 0xffffff;
}
constexpr i32 signed24(u32 x) {
  return static_cast<i32>(x << 8) >> 8;
}
constexpr i32 s(u32 x) {
  return static_cast<i32>(x);
}
constexpr u32 u(i32 x) {
  return static_cast<u32>(x);
}
constexpr u16 h(u32 x) {
  return static_cast<u16>(x);
}
constexpr i16 sh(u16 x) {
  return static_cast<i16>(x);
}
constexpr u32 middle(u32 a, u32 b, u32 c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
constexpr i32 middle_signed(i32 a, i32 b, i32 c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
constexpr u32 lowest_bits(u32 count) {
  return (1U << (count & 31)) - 1;
}
constexpr u32 reversed(u32 x) {
  return __builtin_bitreverse32(x);
}
/// Bytes of the eight that a and b are, b's first: 0 … 7; 8 … 11 a sign, 12 zero, more ones.
constexpr u32 permuted(u32 a, u32 b, u32 selectors) {
  const u64 bytes = u64{a} << 32 | b;
  u32 made = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const u32 selector = (selectors >> (8 * i)) & 0xff;
    u32 byte = 0xff;
    if (selector < 8) {
      byte = static_cast<u32>(bytes >> (8 * selector)) & 0xff;
    } else if (selector < 12) {
      byte = ((bytes >> (16 * (selector - 8) + 15)) & 1) != 0 ? 0xff : 0;
    } else if (selector == 12) {
      byte = 0;
    }
    made |= byte << (8 * i);
  }
  return made;
}
template <typename T>
constexpr T at_bounds(i64 x) {
  return static_cast<T>(
      std::clamp(x, i64{std::numeric_limits<T>::min()}, i64{std::numeric_limits<T>::max()}));
}
constexpr u32 absolute_difference(u32 a, u32 b) {
  return a > b ? a - b : b - a;
}
/// With a clamp, the sum or difference stays at the bounds; the bit says the same. (In 32 bits, as
/// a vector has twice as many of those.)
template <bool kClamp>
constexpr Masked<u32> added(u32 a, u32 b, bool carry) {
  const u32 sum = a + b + u32{carry};
  const bool is_beyond = (sum < a) | (carry & (sum == a));
  return {kClamp && is_beyond ? ~0U : sum, is_beyond};
}
template <bool kClamp>
constexpr Masked<u32> subtracted(u32 a, u32 b, bool borrow) {
  const bool is_beyond = (a < b) | (borrow & (a == b));
  return {kClamp && is_beyond ? 0 : a - b - u32{borrow}, is_beyond};
}

constexpr i64 product24(u32 a, u32 b) {
  return i64{signed24(a)} * signed24(b);
}

#define CARRY(name, parameters, function, ...)                                                     \
  {name, clamped_masked_meaning<[] parameters { return function<false>(__VA_ARGS__); },            \
                                [] parameters { return function<true>(__VA_ARGS__); }>()}

constexpr MeaningEntry kMeanings[] = {
    {"v_mov_b32", vector_meaning<[](u32 a) { return a; }>()},
    {"v_not_b32", vector_meaning<[](u32 a) { return ~a; }>()},
    {"v_bfrev_b32", vector_meaning<[](u32 a) { return reversed(a); }>()},
    {"v_ffbh_u32", vector_meaning<[](u32 a) { return a == 0 ? ~0U : u(std::countl_zero(a)); }>()},
    {"v_ffbl_b32", vector_meaning<[](u32 a) { return a == 0 ? ~0U : u(std::countr_zero(a)); }>()},
    {"v_ffbh_i32", vector_meaning<[](u32 a) {
       const u32 other = s(a) < 0 ? ~a : a;
       return other == 0 ? ~0U : u(std::countl_zero(other));
     }>()},
    {"v_bcnt_u32_b32", vector_meaning<[](u32 a, u32 b) { return u(std::popcount(a)) + b; }>()},
    {"v_and_b32", vector_meaning<[](u32 a, u32 b) { return a & b; }>()},
    {"v_or_b32", vector_meaning<[](u32 a, u32 b) { return a | b; }>()},
    {"v_xor_b32", vector_meaning<[](u32 a, u32 b) { return a ^ b; }>()},
    {"v_xnor_b32", vector_meaning<[](u32 a, u32 b) { return ~(a ^ b); }>()},
    {"v_and_or_b32", vector_meaning<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>()},
    {"v_xor3_b32", vector_meaning<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }>()},
    {"v_mov_b16", vector_meaning<[](u16 a) { return a; }>()},
    {"v_not_b16", vector_meaning<[](u16 a) { return h(~u32{a}); }>()},
    {"v_and_b16", vector_meaning<[](u16 a, u16 b) { return h(u32{a} & b); }>()},
    {"v_or_b16", vector_meaning<[](u16 a, u16 b) { return h(u32{a} | b); }>()},
    {"v_xor_b16", vector_meaning<[](u16 a, u16 b) { return h(u32{a} ^ b); }>()},
    {"v_cndmask_b16", vector_meaning<[](u16 a, u16 b, bool c) { return c ? b : a; }>()},
    {"v_cvt_u32_u16", vector_meaning<[](u16 a) { return u32{a}; }>()},
    {"v_cvt_i32_i16", vector_meaning<[](u16 a) { return u(sh(a)); }>()},
    {"v_or3_b32", vector_meaning<[](u32 a, u32 b, u32 c) { return a | b | c; }>()},
    {"v_bfi_b32", vector_meaning<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }>()},
    {"v_bfm_b32", vector_meaning<[](u32 a, u32 b) { return lowest_bits(a) << (b & 31); }>()},
    {"v_bfe_u32",
     vector_meaning<[](u32 a, u32 b, u32 c) { return (a >> (b & 31)) & lowest_bits(c); }>()},
    {"v_bfe_i32", vector_meaning<[](u32 a, u32 b, u32 c) {
       // The shift is one of signed numbers: what lies beyond the register is the sign.
       const u32 count = c & 31;
       const u32 field = u(s(a) >> (b & 31)) & lowest_bits(count);
       return count == 0 ? 0 : (field ^ (1U << (count - 1))) - (1U << (count - 1));
     }>()},
    {"v_perm_b32", vector_meaning<[](u32 a, u32 b, u32 c) { return permuted(a, b, c); }>()},
    {"v_alignbit_b32", vector_meaning<[](u32 a, u32 b, u32 c) {
       return static_cast<u32>((u64{a} << 32 | b) >> (c & 31));
     }>()},
    {"v_alignbyte_b32", vector_meaning<[](u32 a, u32 b, u32 c) {
       return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3)));
     }>()},
    // gfx11's, whose number of bits or bytes is half a register.
    {"v_alignbit_b32_t16", vector_meaning<[](u32 a, u32 b, u16 c) {
       return static_cast<u32>((u64{a} << 32 | b) >> (c & 31));
     }>()},
    {"v_alignbyte_b32_t16", vector_meaning<[](u32 a, u32 b, u16 c) {
       return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3)));
     }>()},

    {"v_lshlrev_b32", vector_meaning<[](u32 a, u32 b) { return b << (a & 31); }>()},
    {"v_lshrrev_b32", vector_meaning<[](u32 a, u32 b) { return b >> (a & 31); }>()},
    {"v_ashrrev_i32", vector_meaning<[](u32 a, u32 b) { return u(s(b) >> (a & 31)); }>()},
    {"v_lshlrev_b64", vector_meaning<[](u32 a, u64 b) { return b << (a & 63); }>()},
    {"v_lshrrev_b64", vector_meaning<[](u32 a, u64 b) { return b >> (a & 63); }>()},
    {"v_ashrrev_i64", vector_meaning<[](u32 a, i64 b) { return b >> (a & 63); }>()},
    {"v_lshlrev_b16", vector_meaning<[](u16 a, u16 b) { return h(u32{b} << (a & 15)); }>()},
    {"v_lshrrev_b16", vector_meaning<[](u16 a, u16 b) { return h(u32{b} >> (a & 15)); }>()},
    {"v_ashrrev_i16", vector_meaning<[](u16 a, u16 b) { return h(u(sh(b) >> (a & 15))); }>()},

    {"v_add_u32", clamped_meaning<[](u32 a, u32 b) { return a + b; },
                                  [](u32 a, u32 b) { return at_bounds<u32>(i64{a} + b); }>()},
    {"v_sub_u32", clamped_meaning<[](u32 a, u32 b) { return a - b; },
                                  [](u32 a, u32 b) { return at_bounds<u32>(i64{a} - b); }>()},
    {"v_subrev_u32", clamped_meaning<[](u32 a, u32 b) { return b - a; },
                                     [](u32 a, u32 b) { return at_bounds<u32>(i64{b} - a); }>()},
    {"v_add_i32",
     clamped_meaning<[](u32 a, u32 b) { return a + b; },
                     [](u32 a, u32 b) { return u(at_bounds<i32>(i64{s(a)} + s(b))); }>()},
    {"v_sub_i32",
     clamped_meaning<[](u32 a, u32 b) { return a - b; },
                     [](u32 a, u32 b) { return u(at_bounds<i32>(i64{s(a)} - s(b))); }>()},
    {"v_add_u16", clamped_meaning<[](u16 a, u16 b) { return h(u32{a} + b); },
                                  [](u16 a, u16 b) { return at_bounds<u16>(i64{a} + b); }>()},
    {"v_sub_u16", clamped_meaning<[](u16 a, u16 b) { return h(u32{a} - b); },
                                  [](u16 a, u16 b) { return at_bounds<u16>(i64{a} - b); }>()},
    {"v_subrev_u16", clamped_meaning<[](u16 a, u16 b) { return h(u32{b} - a); },
                                     [](u16 a, u16 b) { return at_bounds<u16>(i64{b} - a); }>()},
    {"v_add3_u32", vector_meaning<[](u32 a, u32 b, u32 c) { return a + b + c; }>()},
    {"v_lshl_add_u32", vector_meaning<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>()},
    {"v_add_lshl_u32", vector_meaning<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>()},
    {"v_lshl_or_b32", vector_meaning<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }>()},
    {"v_xad_u32", vector_meaning<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>()},
    CARRY("v_add_co_u32", (u32 a, u32 b), added, a, b, false),
    CARRY("v_sub_co_u32", (u32 a, u32 b), subtracted, a, b, false),
    CARRY("v_subrev_co_u32", (u32 a, u32 b), subtracted, b, a, false),
    CARRY("v_addc_co_u32", (u32 a, u32 b, bool c), added, a, b, c),
    CARRY("v_subb_co_u32", (u32 a, u32 b, bool c), subtracted, a, b, c),
    CARRY("v_subbrev_co_u32", (u32 a, u32 b, bool c), subtracted, b, a, c),
    {"v_cndmask_b32", vector_meaning<[](u32 a, u32 b, bool c) { return c ? b : a; }>()},

    {"v_mul_lo_u32", vector_meaning<[](u32 a, u32 b) { return a * b; }>()},
    {"v_mul_hi_u32",
     vector_meaning<[](u32 a, u32 b) { return static_cast<u32>((u64{a} * b) >> 32); }>()},
    {"v_mul_hi_i32",
     vector_meaning<[](u32 a, u32 b) { return static_cast<u32>((i64{s(a)} * s(b)) >> 32); }>()},
    {"v_mul_u32_u24", vector_meaning<[](u32 a, u32 b) { return low24(a) * low24(b); }>()},
    {"v_mul_hi_u32_u24", vector_meaning<[](u32 a, u32 b) {
       return static_cast<u32>((u64{low24(a)} * low24(b)) >> 32);
     }>()},
    {"v_mul_i32_i24", vector_meaning<[](u32 a, u32 b) {
       return static_cast<u32>(i64{signed24(a)} * signed24(b));
     }>()},
    {"v_mul_hi_i32_i24", vector_meaning<[](u32 a, u32 b) {
       return static_cast<u32>((i64{signed24(a)} * signed24(b)) >> 32);
     }>()},
    {"v_mad_u32_u24", clamped_meaning<[](u32 a, u32 b, u32 c) { return low24(a) * low24(b) + c; },
                                      [](u32 a, u32 b, u32 c) {
                                        const u64 product = u64{low24(a)} * low24(b);
                                        return at_bounds<u32>(static_cast<i64>(product + c));
                                      }>()},
    {"v_mad_i32_i24",
     clamped_meaning<[](u32 a, u32 b, u32 c) { return static_cast<u32>(product24(a, b)) + c; },
                     [](u32 a, u32 b, u32 c) {
                       return u(at_bounds<i32>(product24(a, b) + s(c)));
                     }>()},
    {"v_mad_u64_u32", masked_meaning<[](u32 a, u32 b, u64 c) {
       const u64 sum = u64{a} * b + c;
       return Masked<u64>{sum, sum < c};
     }>()},
    {"v_mad_i64_i32", masked_meaning<[](u32 a, u32 b, i64 c) {
       // The bit is the sum's 65th.
       i64 sum = 0;
       const bool overflow = __builtin_add_overflow(i64{s(a)} * s(b), c, &sum);
       return Masked<i64>{sum, (sum < 0) != overflow};
     }>()},
    {"v_mul_lo_u16", vector_meaning<[](u16 a, u16 b) { return h(u32{a} * b); }>()},
    {"v_sad_u32", clamped_meaning<[](u32 a, u32 b, u32 c) { return absolute_difference(a, b) + c; },
                                  [](u32 a, u32 b, u32 c) {
                                    return at_bounds<u32>(i64{absolute_difference(a, b)} + c);
                                  }>()},

    {"v_min_u32", vector_meaning<[](u32 a, u32 b) { return std::min(a, b); }>()},
    {"v_max_u32", vector_meaning<[](u32 a, u32 b) { return std::max(a, b); }>()},
    {"v_min_i32", vector_meaning<[](u32 a, u32 b) { return u(std::min(s(a), s(b))); }>()},
    {"v_max_i32", vector_meaning<[](u32 a, u32 b) { return u(std::max(s(a), s(b))); }>()},
    {"v_min_u16", vector_meaning<[](u16 a, u16 b) { return std::min(a, b); }>()},
    {"v_max_u16", vector_meaning<[](u16 a, u16 b) { return std::max(a, b); }>()},
    {"v_min_i16", vector_meaning<[](u16 a, u16 b) { return h(u(std::min(sh(a), sh(b)))); }>()},
    {"v_max_i16", vector_meaning<[](u16 a, u16 b) { return h(u(std::max(sh(a), sh(b)))); }>()},
    {"v_maxmin_u32",
     vector_meaning<[](u32 a, u32 b, u32 c) { return std::min(std::max(a, b), c); }>()},
    {"v_minmax_u32",
     vector_meaning<[](u32 a, u32 b, u32 c) { return std::max(std::min(a, b), c); }>()},
    {"v_maxmin_i32",
     vector_meaning<[](u32 a, u32 b, u32 c) { return u(std::min(std::max(s(a), s(b)), s(c))); }>()},
    {"v_minmax_i32",
     vector_meaning<[](u32 a, u32 b, u32 c) { return u(std::max(std::min(s(a), s(b)), s(c))); }>()},
    {"v_min3_u32", vector_meaning<[](u32 a, u32 b, u32 c) { return std::min({a, b, c}); }>()},
    {"v_max3_u32", vector_meaning<[](u32 a, u32 b, u32 c) { return std::max({a, b, c}); }>()},
    {"v_med3_u32", vector_meaning<[](u32 a, u32 b, u32 c) { return middle(a, b, c); }>()},
    {"v_min3_i32",
     vector_meaning<[](u32 a, u32 b, u32 c) { return u(std::min({s(a), s(b), s(c)})); }>()},
    {"v_max3_i32",
     vector_meaning<[](u32 a, u32 b, u32 c) { return u(std::max({s(a), s(b), s(c)})); }>()},
    {"v_med3_i32",
     vector_meaning<[](u32 a, u32 b, u32 c) { return u(middle_signed(s(a), s(b), s(c))); }>()},
};
#undef CARRY

} // namespace

std::span<const MeaningEntry> vector_integer_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
