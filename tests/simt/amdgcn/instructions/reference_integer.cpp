// What integer instructions give, as the manuals of Vega describe them: with wide integers, bit by
// bit where that is how it is described.
#include "vector_form.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

namespace {

using Wide = __int128;
using Bits = std::uint64_t;

constexpr Wide kMost32 = 0xffffffff;

Wide signed_of(Bits value, unsigned width) {
  const Wide top = Wide{1} << (width - 1);
  const Wide whole = low_bits(value, width);
  return whole >= top ? whole - 2 * top : whole;
}
Wide s32(Bits value) {
  return signed_of(value, 32);
}
Wide s24(Bits value) {
  return signed_of(value & 0xffffff, 24);
}
Wide u24(Bits value) {
  return Wide{value & 0xffffff};
}
LaneResult only(Wide value) {
  return {static_cast<Bits>(value), false};
}
LaneResult bounded(Wide value, Wide least, Wide most, bool clamp) {
  return only(clamp ? std::clamp(value, least, most) : value);
}
LaneResult bounded_u32(Wide value, bool clamp) {
  return bounded(value, 0, kMost32, clamp);
}
LaneResult bounded_i32(Wide value, bool clamp) {
  return bounded(value, -(kMost32 + 1) / 2, kMost32 / 2, clamp);
}
LaneResult bounded_u16(Wide value, bool clamp) {
  return bounded(value, 0, 0xffff, clamp);
}
/// A sum or difference with its carry or borrow.
LaneResult carried(Wide value, bool clamp) {
  const bool out = value < 0 || value > kMost32;
  return {static_cast<Bits>(clamp ? std::clamp<Wide>(value, 0, kMost32) : value), out};
}
LaneResult bits_where(unsigned count, auto bit) {
  Bits made = 0;
  for (unsigned i = 0; i < count; ++i) {
    made |= Bits{bit(i) ? 1U : 0U} << i;
  }
  return {made, false};
}
bool bit_of(Bits value, unsigned number) {
  return number < 64 && ((value >> number) & 1) != 0;
}
/// The number of the first bit from one end for which `is` is true; all ones if there is none.
LaneResult first_bit(unsigned count, bool from_top, auto is) {
  for (unsigned i = 0; i < count; ++i) {
    if (is(from_top ? count - 1 - i : i)) {
      return {i, false};
    }
  }
  return {0xffffffff, false};
}
/// A byte of v_perm's two registers, the second one's first, or a constant.
Bits permuted_byte(Bits high, Bits low, Bits selector) {
  const auto byte = [&](Bits number) {
    return number < 4 ? (low >> (8 * number)) & 0xff : (high >> (8 * (number - 4))) & 0xff;
  };
  if (selector >= 13) {
    return 0xff;
  }
  if (selector == 12) {
    return 0;
  }
  if (selector >= 8) {
    const Bits sign = byte(2 * (selector - 8) + 1) >> 7;
    return sign != 0 ? 0xff : 0;
  }
  return byte(selector);
}
Wide middle(Wide a, Wide b, Wide c) {
  Wide all[] = {a, b, c};
  std::ranges::sort(all);
  return all[1];
}

using In = const LaneInput&;

/// How many of the first source's ones belong to lanes below this one, and the second source.
LaneResult counted_below(In in, unsigned first) {
  Wide count = in.b;
  for (unsigned n = 0; n < 32; ++n) {
    count += first + n < in.lane && bit_of(in.a, n) ? 1 : 0;
  }
  return only(count);
}

constexpr VectorForm kForms[] = {
    {"v_mov_b32", "u=u", [](In i) { return only(i.a); }},
    {"v_not_b32", "u=u", [](In i) { return only(kMost32 - Wide{i.a}); }},
    {"v_bfrev_b32", "u=u",
     [](In i) { return bits_where(32, [&](unsigned n) { return bit_of(i.a, 31 - n); }); }},
    {"v_ffbh_u32", "u=u",
     [](In i) { return first_bit(32, true, [&](unsigned n) { return bit_of(i.a, n); }); }},
    {"v_ffbl_b32", "u=u",
     [](In i) { return first_bit(32, false, [&](unsigned n) { return bit_of(i.a, n); }); }},
    {"v_ffbh_i32", "u=u",
     [](In i) {
       return first_bit(32, true, [&](unsigned n) { return bit_of(i.a, n) != bit_of(i.a, 31); });
     }},
    {"v_bcnt_u32_b32", "u=uu",
     [](In i) {
       Wide count = i.b;
       for (unsigned n = 0; n < 32; ++n) {
         count += bit_of(i.a, n) ? 1 : 0;
       }
       return only(count);
     }},
    {"v_and_b32", "u=uu",
     [](In i) {
       return bits_where(32, [&](unsigned n) { return bit_of(i.a, n) && bit_of(i.b, n); });
     }},
    {"v_or_b32", "u=uu",
     [](In i) {
       return bits_where(32, [&](unsigned n) { return bit_of(i.a, n) || bit_of(i.b, n); });
     }},
    {"v_xor_b32", "u=uu",
     [](In i) {
       return bits_where(32, [&](unsigned n) { return bit_of(i.a, n) != bit_of(i.b, n); });
     }},
    {"v_xnor_b32", "u=uu",
     [](In i) {
       return bits_where(32, [&](unsigned n) { return bit_of(i.a, n) == bit_of(i.b, n); });
     }},
    {"v_and_or_b32", "u=uuu",
     [](In i) {
       return bits_where(
           32, [&](unsigned n) { return (bit_of(i.a, n) && bit_of(i.b, n)) || bit_of(i.c, n); });
     }},
    {"v_xor3_b32", "u=uuu",
     [](In i) {
       return bits_where(
           32, [&](unsigned n) { return (bit_of(i.a, n) != bit_of(i.b, n)) != bit_of(i.c, n); });
     }},
    {"v_mov_b16", "s=s", [](In i) { return only(i.a); }},
    {"v_not_b16", "s=s", [](In i) { return only(Wide{0xffff} - Wide{i.a}); }},
    {"v_and_b16", "s=ss",
     [](In i) {
       return bits_where(16, [&](unsigned n) { return bit_of(i.a, n) && bit_of(i.b, n); });
     }},
    {"v_or_b16", "s=ss",
     [](In i) {
       return bits_where(16, [&](unsigned n) { return bit_of(i.a, n) || bit_of(i.b, n); });
     }},
    {"v_xor_b16", "s=ss",
     [](In i) {
       return bits_where(16, [&](unsigned n) { return bit_of(i.a, n) != bit_of(i.b, n); });
     }},
    {"v_cndmask_b16", "s=ssc", [](In i) { return only(i.bit ? i.b : i.a); }},
    {"v_cvt_u32_u16", "u=s", [](In i) { return only(i.a); }},
    {"v_cvt_i32_i16", "u=s", [](In i) { return only(signed_of(i.a, 16)); }},
    {"v_or3_b32", "u=uuu",
     [](In i) {
       return bits_where(
           32, [&](unsigned n) { return bit_of(i.a, n) || bit_of(i.b, n) || bit_of(i.c, n); });
     }},
    {"v_bfi_b32", "u=uuu",
     [](In i) {
       return bits_where(
           32, [&](unsigned n) { return bit_of(i.a, n) ? bit_of(i.b, n) : bit_of(i.c, n); });
     }},
    {"v_bfm_b32", "u=uu",
     [](In i) {
       const Bits first = i.b % 32;
       return bits_where(32, [&](unsigned n) { return n >= first && n < first + i.a % 32; });
     }},
    {"v_bfe_u32", "u=uuu",
     [](In i) {
       return bits_where(32, [&](unsigned n) { return n < i.c % 32 && bit_of(i.a, n + i.b % 32); });
     }},
    {"v_bfe_i32", "u=uuu",
     [](In i) { // beyond the register's bits are its sign's
       const unsigned count = i.c % 32;
       return bits_where(32, [&](unsigned n) {
         const unsigned from = std::min(n, count - 1) + i.b % 32;
         return count != 0 && bit_of(i.a, std::min(from, 31U));
       });
     }},
    {"v_perm_b32", "u=uuu",
     [](In i) {
       Bits made = 0;
       for (unsigned n = 0; n < 4; ++n) {
         made |= permuted_byte(i.a, i.b, (i.c >> (8 * n)) & 0xff) << (8 * n);
       }
       return LaneResult{made, false};
     }},
    {"v_alignbit_b32", "u=uuu",
     [](In i) {
       return bits_where(32, [&](unsigned n) {
         const unsigned from = n + i.c % 32;
         return from < 32 ? bit_of(i.b, from) : bit_of(i.a, from - 32);
       });
     }},
    {"v_alignbyte_b32", "u=uuu",
     [](In i) {
       return bits_where(32, [&](unsigned n) {
         const unsigned from = n + 8 * (i.c % 4);
         return from < 32 ? bit_of(i.b, from) : bit_of(i.a, from - 32);
       });
     }},

    // gfx11's, whose last source has 16 bits.
    {"v_alignbit_b32_t16", "u=uus",
     [](In i) {
       return bits_where(32, [&](unsigned n) {
         const unsigned from = n + i.c % 32;
         return from < 32 ? bit_of(i.b, from) : bit_of(i.a, from - 32);
       });
     }},
    {"v_alignbyte_b32_t16", "u=uus",
     [](In i) {
       return bits_where(32, [&](unsigned n) {
         const unsigned from = n + 8 * (i.c % 4);
         return from < 32 ? bit_of(i.b, from) : bit_of(i.a, from - 32);
       });
     }},

    {"v_lshlrev_b32", "u=uu", [](In i) { return only(Wide{i.b} * (Wide{1} << (i.a % 32))); }},
    {"v_lshrrev_b32", "u=uu", [](In i) { return only(Wide{i.b} / (Wide{1} << (i.a % 32))); }},
    {"v_ashrrev_i32", "u=uu", [](In i) { return only(s32(i.b) >> (i.a % 32)); }},
    {"v_lshlrev_b64", "U=uU", [](In i) { return only(Wide{i.b} << (i.a % 64)); }},
    {"v_lshrrev_b64", "U=uU", [](In i) { return only(Wide{i.b} >> (i.a % 64)); }},
    {"v_ashrrev_i64", "U=uI", [](In i) { return only(signed_of(i.b, 64) >> (i.a % 64)); }},
    {"v_lshlrev_b16", "s=ss", [](In i) { return only(Wide{i.b} << (i.a % 16)); }},
    {"v_lshrrev_b16", "s=ss", [](In i) { return only(Wide{i.b} >> (i.a % 16)); }},
    {"v_ashrrev_i16", "s=ss", [](In i) { return only(signed_of(i.b, 16) >> (i.a % 16)); }},

    {"v_add_u32", "u~=uu", [](In i) { return bounded_u32(Wide{i.a} + i.b, i.clamp); }},
    {"v_sub_u32", "u~=uu", [](In i) { return bounded_u32(Wide{i.a} - i.b, i.clamp); }},
    {"v_subrev_u32", "u~=uu", [](In i) { return bounded_u32(Wide{i.b} - i.a, i.clamp); }},
    {"v_add_i32", "u~=uu", [](In i) { return bounded_i32(s32(i.a) + s32(i.b), i.clamp); }},
    {"v_sub_i32", "u~=uu", [](In i) { return bounded_i32(s32(i.a) - s32(i.b), i.clamp); }},
    {"v_add_u16", "s~=ss", [](In i) { return bounded_u16(Wide{i.a} + i.b, i.clamp); }},
    {"v_sub_u16", "s~=ss", [](In i) { return bounded_u16(Wide{i.a} - i.b, i.clamp); }},
    {"v_subrev_u16", "s~=ss", [](In i) { return bounded_u16(Wide{i.b} - i.a, i.clamp); }},
    {"v_add3_u32", "u=uuu", [](In i) { return only(Wide{i.a} + i.b + i.c); }},
    {"v_lshl_add_u32", "u=uuu", [](In i) { return only((Wide{i.a} << (i.b % 32)) + i.c); }},
    {"v_add_lshl_u32", "u=uuu", [](In i) { return only((Wide{i.a} + i.b) << (i.c % 32)); }},
    {"v_lshl_or_b32", "u=uuu", [](In i) { return only((Wide{i.a} << (i.b % 32)) | i.c); }},
    {"v_xad_u32", "u=uuu", [](In i) { return only(Wide{i.a ^ i.b} + i.c); }},
    {"v_add_co_u32", "u!~=uu", [](In i) { return carried(Wide{i.a} + i.b, i.clamp); }},
    {"v_sub_co_u32", "u!~=uu", [](In i) { return carried(Wide{i.a} - i.b, i.clamp); }},
    {"v_subrev_co_u32", "u!~=uu", [](In i) { return carried(Wide{i.b} - i.a, i.clamp); }},
    {"v_addc_co_u32", "u!~=uuc",
     [](In i) { return carried(Wide{i.a} + i.b + (i.bit ? 1 : 0), i.clamp); }},
    {"v_subb_co_u32", "u!~=uuc",
     [](In i) { return carried(Wide{i.a} - i.b - (i.bit ? 1 : 0), i.clamp); }},
    {"v_subbrev_co_u32", "u!~=uuc",
     [](In i) { return carried(Wide{i.b} - i.a - (i.bit ? 1 : 0), i.clamp); }},
    {"v_cndmask_b32", "u=uuc", [](In i) { return only(i.bit ? i.b : i.a); }},

    {"v_mul_lo_u32", "u=uu", [](In i) { return only(Wide{i.a} * i.b); }},
    {"v_mul_hi_u32", "u=uu", [](In i) { return only((Wide{i.a} * i.b) >> 32); }},
    {"v_mul_hi_i32", "u=uu", [](In i) { return only((s32(i.a) * s32(i.b)) >> 32); }},
    {"v_mul_u32_u24", "u=uu", [](In i) { return only(u24(i.a) * u24(i.b)); }},
    {"v_mul_hi_u32_u24", "u=uu", [](In i) { return only((u24(i.a) * u24(i.b)) >> 32); }},
    {"v_mul_i32_i24", "u=uu", [](In i) { return only(s24(i.a) * s24(i.b)); }},
    {"v_mul_hi_i32_i24", "u=uu", [](In i) { return only((s24(i.a) * s24(i.b)) >> 32); }},
    {"v_mad_u32_u24", "u~=uuu",
     [](In i) { return bounded_u32(u24(i.a) * u24(i.b) + i.c, i.clamp); }},
    {"v_mad_i32_i24", "u~=uuu",
     [](In i) { return bounded_i32(s24(i.a) * s24(i.b) + s32(i.c), i.clamp); }},
    {"v_mad_u64_u32", "U!=uuU",
     [](In i) {
       const auto sum = static_cast<unsigned __int128>(i.a) * i.b + i.c;
       return LaneResult{static_cast<Bits>(sum), (sum >> 64) != 0};
     }},
    {"v_mad_i64_i32", "U!=uuI",
     [](In i) { // the bit is the one above the result's, of 65 bits
       const Wide sum = s32(i.a) * s32(i.b) + signed_of(i.c, 64);
       return LaneResult{static_cast<Bits>(sum), ((sum >> 64) & 1) != 0};
     }},
    {"v_mul_lo_u16", "s=ss", [](In i) { return only(Wide{i.a} * i.b); }},
    {"v_sad_u32", "u~=uuu",
     [](In i) {
       const Wide difference = Wide{i.a} - i.b;
       return bounded_u32((difference < 0 ? -difference : difference) + i.c, i.clamp);
     }},

    {"v_mbcnt_lo_u32_b32", "u=uu", [](In i) { return counted_below(i, 0); }},
    {"v_mbcnt_hi_u32_b32", "u=uu", [](In i) { return counted_below(i, 32); }},

    {"v_min_u32", "u=uu", [](In i) { return only(std::min(i.a, i.b)); }},
    {"v_max_u32", "u=uu", [](In i) { return only(std::max(i.a, i.b)); }},
    {"v_min_i32", "u=uu", [](In i) { return only(std::min(s32(i.a), s32(i.b))); }},
    {"v_max_i32", "u=uu", [](In i) { return only(std::max(s32(i.a), s32(i.b))); }},
    {"v_min_u16", "s=ss", [](In i) { return only(std::min(i.a, i.b)); }},
    {"v_max_u16", "s=ss", [](In i) { return only(std::max(i.a, i.b)); }},
    {"v_min_i16", "s=ss",
     [](In i) { return only(std::min(signed_of(i.a, 16), signed_of(i.b, 16))); }},
    {"v_max_i16", "s=ss",
     [](In i) { return only(std::max(signed_of(i.a, 16), signed_of(i.b, 16))); }},
    {"v_maxmin_u32", "u=uuu", [](In i) { return only(std::min(std::max(i.a, i.b), i.c)); }},
    {"v_minmax_u32", "u=uuu", [](In i) { return only(std::max(std::min(i.a, i.b), i.c)); }},
    {"v_maxmin_i32", "u=uuu",
     [](In i) { return only(std::min(std::max(s32(i.a), s32(i.b)), s32(i.c))); }},
    {"v_minmax_i32", "u=uuu",
     [](In i) { return only(std::max(std::min(s32(i.a), s32(i.b)), s32(i.c))); }},
    {"v_min3_u32", "u=uuu", [](In i) { return only(std::min({i.a, i.b, i.c})); }},
    {"v_max3_u32", "u=uuu", [](In i) { return only(std::max({i.a, i.b, i.c})); }},
    {"v_med3_u32", "u=uuu", [](In i) { return only(middle(i.a, i.b, i.c)); }},
    {"v_min3_i32", "u=uuu", [](In i) { return only(std::min({s32(i.a), s32(i.b), s32(i.c)})); }},
    {"v_max3_i32", "u=uuu", [](In i) { return only(std::max({s32(i.a), s32(i.b), s32(i.c)})); }},
    {"v_med3_i32", "u=uuu", [](In i) { return only(middle(s32(i.a), s32(i.b), s32(i.c))); }},
};

} // namespace

std::span<const VectorForm> integer_forms() {
  return kForms;
}

} // namespace gantry::simt::amdgcn
