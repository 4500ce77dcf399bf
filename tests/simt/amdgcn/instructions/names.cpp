// By rules: gfx11 names data by their bits, and says what gfx9 leaves unsaid of carries.
#include "names.h"

#include <array>
#include <cstddef>

namespace gantry::simt::amdgcn {

namespace {

struct Change {
  std::string_view from, to;
};

/// A name's end, of loads and stores behind all prefixes but "ds_".
constexpr std::array kEnds = {
    Change{"load_dword", "load_b32"},
    Change{"load_dwordx2", "load_b64"},
    Change{"load_dwordx3", "load_b96"},
    Change{"load_dwordx4", "load_b128"},
    Change{"load_dwordx8", "load_b256"},
    Change{"load_dwordx16", "load_b512"},
    Change{"store_dword", "store_b32"},
    Change{"store_dwordx2", "store_b64"},
    Change{"store_dwordx3", "store_b96"},
    Change{"store_dwordx4", "store_b128"},
    Change{"load_ubyte", "load_u8"},
    Change{"load_sbyte", "load_i8"},
    Change{"load_ushort", "load_u16"},
    Change{"load_sshort", "load_i16"},
    Change{"load_ubyte_d16", "load_d16_u8"},
    Change{"load_sbyte_d16", "load_d16_i8"},
    Change{"load_short_d16", "load_d16_b16"},
    Change{"load_ubyte_d16_hi", "load_d16_hi_u8"},
    Change{"load_sbyte_d16_hi", "load_d16_hi_i8"},
    Change{"load_short_d16_hi", "load_d16_hi_b16"},
    Change{"store_byte", "store_b8"},
    Change{"store_short", "store_b16"},
    Change{"store_byte_d16_hi", "store_d16_hi_b8"},
    Change{"store_short_d16_hi", "store_d16_hi_b16"},
};

/// Whole names.
constexpr std::array kNames = {
    Change{"v_add_u32", "v_add_nc_u32"},
    Change{"v_sub_u32", "v_sub_nc_u32"},
    Change{"v_subrev_u32", "v_subrev_nc_u32"},
    Change{"v_add_i32", "v_add_nc_i32"},
    Change{"v_sub_i32", "v_sub_nc_i32"},
    Change{"v_add_u16", "v_add_nc_u16"},
    Change{"v_sub_u16", "v_sub_nc_u16"},
    Change{"v_add_i16", "v_add_nc_i16"},
    Change{"v_sub_i16", "v_sub_nc_i16"},
    Change{"v_addc_co_u32", "v_add_co_ci_u32"},
    Change{"v_subb_co_u32", "v_sub_co_ci_u32"},
    Change{"v_subbrev_co_u32", "v_subrev_co_ci_u32"},
    Change{"v_ffbh_u32", "v_clz_i32_u32"},
    Change{"v_ffbl_b32", "v_ctz_i32_b32"},
    Change{"v_ffbh_i32", "v_cls_i32"},
    Change{"v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"},
    Change{"v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"},
    Change{"v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"},
    Change{"v_cvt_pknorm_i16_f32", "v_cvt_pk_norm_i16_f32"},
    Change{"v_cvt_pknorm_u16_f32", "v_cvt_pk_norm_u16_f32"},
    Change{"v_cvt_pknorm_i16_f16", "v_cvt_pk_norm_i16_f16"},
    Change{"v_cvt_pknorm_u16_f16", "v_cvt_pk_norm_u16_f16"},
    Change{"v_alignbit_b32", ""}, // which is another one there
    Change{"v_alignbyte_b32", ""},
    Change{"v_mul_legacy_f32", "v_mul_dx9_zero_f32"},
    Change{"s_ff1_i32_b32", "s_ctz_i32_b32"},
    Change{"s_ff1_i32_b64", "s_ctz_i32_b64"},
    Change{"s_flbit_i32_b32", "s_clz_i32_u32"},
    Change{"s_flbit_i32_b64", "s_clz_i32_u64"},
    Change{"s_flbit_i32", "s_cls_i32"},
    Change{"s_flbit_i32_i64", "s_cls_i32_i64"},
};

/// What is anywhere in a name.
constexpr std::array kParts = {
    Change{"_andn1_", "_and_not0_"},
    Change{"_andn2_", "_and_not1_"},
    Change{"_orn1_", "_or_not0_"},
    Change{"_orn2_", "_or_not1_"},
    Change{"_tru_", "_t_"},
    Change{"_t16", ""}, // a name of the executor's
    Change{"ds_read2st64_", "ds_load_2addr_stride64_"},
    Change{"ds_write2st64_", "ds_store_2addr_stride64_"},
    Change{"ds_read2_", "ds_load_2addr_"},
    Change{"ds_write2_", "ds_store_2addr_"},
    Change{"ds_read_", "ds_load_"},
    Change{"ds_write_", "ds_store_"},
    Change{"ds_wrxchg_", "ds_storexchg_"},
};

/// Of atomic operations without "_x2": gfx9 has a letter for the type of some before the name.
constexpr std::array kAtomics = {
    Change{"swap", "swap_b"}, Change{"cmpswap", "cmpswap_b"}, Change{"add", "add_u"},
    Change{"sub", "sub_u"},   Change{"smin", "min_i"},        Change{"umin", "min_u"},
    Change{"smax", "max_i"},  Change{"umax", "max_u"},        Change{"and", "and_b"},
    Change{"or", "or_b"},     Change{"xor", "xor_b"},         Change{"inc", "inc_u"},
    Change{"dec", "dec_u"},
};

std::string atomic_name(std::string_view before, std::string_view operation) {
  constexpr std::string_view kWide = "_x2";
  const bool is_wide = operation.ends_with(kWide);
  const std::string_view single =
      is_wide ? operation.substr(0, operation.size() - kWide.size()) : operation;
  for (const auto& [from, to] : kAtomics) {
    if (single == from) {
      return std::string(before) + std::string(to) + (is_wide ? "64" : "32");
    }
  }
  return std::string(before) + std::string(operation);
}

} // namespace

std::string name_on(const Processor& processor, std::string_view name) {
  if (!processor.is_gfx11) {
    return std::string(name);
  }
  for (const auto& [from, to] : kNames) {
    if (name == from) {
      return std::string(to);
    }
  }
  constexpr std::string_view kAtomic = "atomic_";
  if (const std::size_t at = name.find(kAtomic); at != std::string_view::npos) {
    return atomic_name(name.substr(0, at + kAtomic.size()), name.substr(at + kAtomic.size()));
  }
  std::string made(name);
  for (const auto& [from, to] : kEnds) {
    if (name.ends_with(from)) {
      return made.substr(0, made.size() - from.size()) + std::string(to);
    }
  }
  for (const auto& [from, to] : kParts) {
    if (const std::size_t at = made.find(from); at != std::string::npos) {
      made.replace(at, from.size(), to);
    }
  }
  return made;
}

} // namespace gantry::simt::amdgcn
