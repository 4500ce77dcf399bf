#include "simt/amdgcn/exec/meanings.h"

#include "simt/amdgcn/exec/levels.h"
#include "simt/amdgcn/objects/processor.h"

#include <iterator>
#include <string>
#include <unordered_map>

namespace gantry::simt::amdgcn {

namespace {

using Table = std::unordered_map<std::string_view, const Meaning*>;

/// What gfx8 calls otherwise than gfx9.
constexpr std::pair<std::string_view, std::string_view> kNamesOfGfx8[] = {
    {"v_add_u32", "v_add_co_u32"},       {"v_sub_u32", "v_sub_co_u32"},
    {"v_subrev_u32", "v_subrev_co_u32"}, {"v_addc_u32", "v_addc_co_u32"},
    {"v_subb_u32", "v_subb_co_u32"},     {"v_subbrev_u32", "v_subbrev_co_u32"},
};

/// What gfx11 calls otherwise than gfx9, behind the prefix of accesses to memory.
constexpr std::pair<std::string_view, std::string_view> kNamesOfGfx11[] = {
    {"v_add_nc_u32", "v_add_u32"},
    {"v_sub_nc_u32", "v_sub_u32"},
    {"v_subrev_nc_u32", "v_subrev_u32"},
    {"v_add_nc_i32", "v_add_i32"},
    {"v_sub_nc_i32", "v_sub_i32"},
    {"v_add_nc_u16", "v_add_u16"},
    {"v_sub_nc_u16", "v_sub_u16"},
    {"v_add_nc_i16", "v_add_i16"},
    {"v_sub_nc_i16", "v_sub_i16"},
    {"v_add_co_ci_u32", "v_addc_co_u32"},
    {"v_sub_co_ci_u32", "v_subb_co_u32"},
    {"v_subrev_co_ci_u32", "v_subbrev_co_u32"},
    {"v_clz_i32_u32", "v_ffbh_u32"},
    {"v_ctz_i32_b32", "v_ffbl_b32"},
    {"v_cls_i32", "v_ffbh_i32"},
    {"v_cvt_floor_i32_f32", "v_cvt_flr_i32_f32"},
    {"v_cvt_nearest_i32_f32", "v_cvt_rpi_i32_f32"},
    {"v_cvt_pk_rtz_f16_f32", "v_cvt_pkrtz_f16_f32"},
    {"v_cvt_pk_norm_i16_f32", "v_cvt_pknorm_i16_f32"},
    {"v_cvt_pk_norm_u16_f32", "v_cvt_pknorm_u16_f32"},
    {"v_cvt_pk_norm_i16_f16", "v_cvt_pknorm_i16_f16"},
    {"v_cvt_pk_norm_u16_f16", "v_cvt_pknorm_u16_f16"},
    {"v_alignbit_b32", "v_alignbit_b32_t16"},
    {"v_alignbyte_b32", "v_alignbyte_b32_t16"},
    {"v_mul_dx9_zero_f32", "v_mul_legacy_f32"},
    {"v_cmp_t_f16", "v_cmp_tru_f16"},
    {"v_cmp_t_f32", "v_cmp_tru_f32"},
    {"v_cmp_t_f64", "v_cmp_tru_f64"},
    {"v_cmpx_t_f16", "v_cmpx_tru_f16"},
    {"v_cmpx_t_f32", "v_cmpx_tru_f32"},
    {"v_cmpx_t_f64", "v_cmpx_tru_f64"},

    {"s_and_not1_b32", "s_andn2_b32"},
    {"s_and_not1_b64", "s_andn2_b64"},
    {"s_or_not1_b32", "s_orn2_b32"},
    {"s_or_not1_b64", "s_orn2_b64"},
    {"s_ctz_i32_b32", "s_ff1_i32_b32"},
    {"s_ctz_i32_b64", "s_ff1_i32_b64"},
    {"s_clz_i32_u32", "s_flbit_i32_b32"},
    {"s_clz_i32_u64", "s_flbit_i32_b64"},
    {"s_cls_i32", "s_flbit_i32"},
    {"s_cls_i32_i64", "s_flbit_i32_i64"},
    {"s_and_not0_saveexec_b32", "s_andn1_saveexec_b32"},
    {"s_and_not0_saveexec_b64", "s_andn1_saveexec_b64"},
    {"s_and_not1_saveexec_b32", "s_andn2_saveexec_b32"},
    {"s_and_not1_saveexec_b64", "s_andn2_saveexec_b64"},
    {"s_or_not0_saveexec_b32", "s_orn1_saveexec_b32"},
    {"s_or_not0_saveexec_b64", "s_orn1_saveexec_b64"},
    {"s_or_not1_saveexec_b32", "s_orn2_saveexec_b32"},
    {"s_or_not1_saveexec_b64", "s_orn2_saveexec_b64"},
    {"s_and_not0_wrexec_b32", "s_andn1_wrexec_b32"},
    {"s_and_not0_wrexec_b64", "s_andn1_wrexec_b64"},
    {"s_and_not1_wrexec_b32", "s_andn2_wrexec_b32"},
    {"s_and_not1_wrexec_b64", "s_andn2_wrexec_b64"},
    {"s_load_b32", "s_load_dword"},
    {"s_load_b64", "s_load_dwordx2"},
    {"s_load_b128", "s_load_dwordx4"},
    {"s_load_b256", "s_load_dwordx8"},
    {"s_load_b512", "s_load_dwordx16"},
    {"s_gl1_inv", "s_dcache_inv"},

    {"load_b32", "load_dword"},
    {"load_b64", "load_dwordx2"},
    {"load_b96", "load_dwordx3"},
    {"load_b128", "load_dwordx4"},
    {"load_u8", "load_ubyte"},
    {"load_i8", "load_sbyte"},
    {"load_u16", "load_ushort"},
    {"load_i16", "load_sshort"},
    {"load_d16_u8", "load_ubyte_d16"},
    {"load_d16_hi_u8", "load_ubyte_d16_hi"},
    {"load_d16_i8", "load_sbyte_d16"},
    {"load_d16_hi_i8", "load_sbyte_d16_hi"},
    {"load_d16_b16", "load_short_d16"},
    {"load_d16_hi_b16", "load_short_d16_hi"},
    {"store_b32", "store_dword"},
    {"store_b64", "store_dwordx2"},
    {"store_b96", "store_dwordx3"},
    {"store_b128", "store_dwordx4"},
    {"store_b8", "store_byte"},
    {"store_d16_hi_b8", "store_byte_d16_hi"},
    {"store_b16", "store_short"},
    {"store_d16_hi_b16", "store_short_d16_hi"},
    {"atomic_swap_b32", "atomic_swap"},
    {"atomic_swap_b64", "atomic_swap_x2"},
    {"atomic_cmpswap_b32", "atomic_cmpswap"},
    {"atomic_cmpswap_b64", "atomic_cmpswap_x2"},
    {"atomic_add_u32", "atomic_add"},
    {"atomic_add_u64", "atomic_add_x2"},
    {"atomic_sub_u32", "atomic_sub"},
    {"atomic_sub_u64", "atomic_sub_x2"},
    {"atomic_min_u32", "atomic_umin"},
    {"atomic_min_u64", "atomic_umin_x2"},
    {"atomic_max_u32", "atomic_umax"},
    {"atomic_max_u64", "atomic_umax_x2"},
    {"atomic_min_i32", "atomic_smin"},
    {"atomic_min_i64", "atomic_smin_x2"},
    {"atomic_max_i32", "atomic_smax"},
    {"atomic_max_i64", "atomic_smax_x2"},
    {"atomic_and_b32", "atomic_and"},
    {"atomic_and_b64", "atomic_and_x2"},
    {"atomic_or_b32", "atomic_or"},
    {"atomic_or_b64", "atomic_or_x2"},
    {"atomic_xor_b32", "atomic_xor"},
    {"atomic_xor_b64", "atomic_xor_x2"},
    {"atomic_inc_u32", "atomic_inc"},
    {"atomic_inc_u64", "atomic_inc_x2"},
    {"atomic_dec_u32", "atomic_dec"},
    {"atomic_dec_u64", "atomic_dec_x2"},
    {"gl0_inv", "wbinvl1"},
    {"gl1_inv", "wbinvl1"},

    {"ds_load_b32", "ds_read_b32"},
    {"ds_load_b64", "ds_read_b64"},
    {"ds_load_b96", "ds_read_b96"},
    {"ds_load_b128", "ds_read_b128"},
    {"ds_load_u8", "ds_read_u8"},
    {"ds_load_i8", "ds_read_i8"},
    {"ds_load_u16", "ds_read_u16"},
    {"ds_load_i16", "ds_read_i16"},
    {"ds_load_u8_d16", "ds_read_u8_d16"},
    {"ds_load_u8_d16_hi", "ds_read_u8_d16_hi"},
    {"ds_load_i8_d16", "ds_read_i8_d16"},
    {"ds_load_i8_d16_hi", "ds_read_i8_d16_hi"},
    {"ds_load_u16_d16", "ds_read_u16_d16"},
    {"ds_load_u16_d16_hi", "ds_read_u16_d16_hi"},
    {"ds_load_2addr_b32", "ds_read2_b32"},
    {"ds_load_2addr_b64", "ds_read2_b64"},
    {"ds_load_2addr_stride64_b32", "ds_read2st64_b32"},
    {"ds_load_2addr_stride64_b64", "ds_read2st64_b64"},
    {"ds_store_b32", "ds_write_b32"},
    {"ds_store_b64", "ds_write_b64"},
    {"ds_store_b96", "ds_write_b96"},
    {"ds_store_b128", "ds_write_b128"},
    {"ds_store_b8", "ds_write_b8"},
    {"ds_store_b8_d16_hi", "ds_write_b8_d16_hi"},
    {"ds_store_b16", "ds_write_b16"},
    {"ds_store_b16_d16_hi", "ds_write_b16_d16_hi"},
    {"ds_store_2addr_b32", "ds_write2_b32"},
    {"ds_store_2addr_b64", "ds_write2_b64"},
    {"ds_store_2addr_stride64_b32", "ds_write2st64_b32"},
    {"ds_store_2addr_stride64_b64", "ds_write2st64_b64"},
    {"ds_storexchg_rtn_b32", "ds_wrxchg_rtn_b32"},
    {"ds_storexchg_rtn_b64", "ds_wrxchg_rtn_b64"},
};

using Names = std::unordered_map<std::string_view, std::string_view>;

const Names& names_of_gfx11() {
  static const auto* const names = new Names(std::begin(kNamesOfGfx11), std::end(kNamesOfGfx11));
  return *names;
}

/// Of each of VOPD's two operations, before the operation's own name.
constexpr std::string_view kDual = "v_dual_";

/// Accesses of all kinds of addresses share their meanings.
constexpr std::string_view kPrefixes[] = {"flat_", "global_", "scratch_", "buffer_"};

Table table_of(Level level) {
  Table made;
  for (const auto entries : meanings_of(level).tables) {
    for (const MeaningEntry& entry : entries) {
      made[entry.mnemonic] = &entry.meaning;
    }
  }
  return made;
}

const Table& table() {
  static const auto* const tables = [] {
    auto* const made = new std::unordered_map<Level, Table>;
    for (const Level level : available_levels()) {
      made->emplace(level, table_of(level));
    }
    return made;
  }();
  return tables->at(chosen_level());
}

} // namespace

std::string_view mnemonic_of(const Meaning& meaning) {
  static const auto* const names = [] {
    auto* const made = new std::unordered_map<const Meaning*, std::string_view>;
    for (const Level level : available_levels()) {
      for (const auto entries : meanings_of(level).tables) {
        for (const MeaningEntry& entry : entries) {
          made->emplace(&entry.meaning, entry.mnemonic);
        }
      }
    }
    return made;
  }();
  return names->at(&meaning);
}

const Meaning* find_meaning(std::string_view mnemonic, const Processor& processor) {
  if (processor.is_gfx8) {
    for (const auto& [here, there] : kNamesOfGfx8) {
      if (mnemonic == here) {
        mnemonic = there;
        break;
      }
    }
  }
  for (const std::string_view prefix : kPrefixes) {
    if (mnemonic.starts_with(prefix)) {
      mnemonic.remove_prefix(prefix.size());
      break;
    }
  }
  std::string single;
  if (processor.is_gfx11) {
    if (mnemonic.starts_with(kDual)) {
      single = "v_" + std::string(mnemonic.substr(kDual.size()));
      mnemonic = single;
    }
    const auto other = names_of_gfx11().find(mnemonic);
    mnemonic = other == names_of_gfx11().end() ? mnemonic : other->second;
  }
  const Table& known = table();
  const auto found = known.find(mnemonic);
  return found == known.end() ? nullptr : found->second;
}

} // namespace gantry::simt::amdgcn
