// That nothing the executor accepts is without a test.
#include "memory_form.h"
#include "names.h"
#include "scalar_form.h"
#include "vector_form.h"

#include "simt/amdgcn/code/opcode_space.h"
#include "simt/amdgcn/code/opcodes.h"
#include "simt/amdgcn/exec/levels.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace gantry::simt::amdgcn {
namespace {

/// What tests of their own run.
constexpr const char* kTested[] = {
    // lane_forms_test.cpp
    "v_readfirstlane_b32",
    "v_readlane_b32",
    "v_writelane_b32",
    "v_nop",
    "s_branch",
    "s_cbranch_scc0",
    "s_cbranch_scc1",
    "s_cbranch_vccz",
    "s_cbranch_vccnz",
    "s_cbranch_execz",
    "s_cbranch_execnz",
    "s_getpc_b64",
    "s_setpc_b64",
    "s_swappc_b64",
    "s_call_b64",
    "s_endpgm",
    "s_barrier",
    "s_sleep",
    "s_trap",
    "s_waitcnt",
    "s_nop",
    "s_setprio",
    "s_wakeup",
    "s_icache_inv",
    "s_ttracedata",
    "s_incperflevel",
    "s_decperflevel",
    "s_memtime",
    "s_memrealtime",
    "s_dcache_wb",
    "s_dcache_wb_vol",
    "s_dcache_inv",
    "s_dcache_inv_vol",
    "wbinvl1",
    "wbinvl1_vol",
    "ds_nop",
    // shared_forms_test.cpp, scalar_loads_test.cpp
    "ds_bpermute_b32",
    "ds_permute_b32",
    "ds_swizzle_b32",
    "s_load_dword",
    "s_load_dwordx2",
    "s_load_dwordx4",
    "s_load_dwordx8",
    "s_load_dwordx16",
    // halves_forms_test.cpp
    "v_pk_add_u16",
    "v_pk_add_i16",
    "v_pk_sub_u16",
    "v_pk_sub_i16",
    "v_pk_mul_lo_u16",
    "v_pk_mad_u16",
    "v_pk_mad_i16",
    "v_pk_lshlrev_b16",
    "v_pk_lshrrev_b16",
    "v_pk_ashrrev_i16",
    "v_pk_min_u16",
    "v_pk_max_u16",
    "v_pk_min_i16",
    "v_pk_max_i16",
    "v_pk_add_f16",
    "v_pk_mul_f16",
    "v_pk_min_f16",
    "v_pk_max_f16",
    "v_pk_fma_f16",
    // mixed_forms_test.cpp
    "v_fma_mix_f32",
    "v_fma_mixlo_f16",
    "v_fma_mixhi_f16",
    "v_mad_mix_f32",
    "v_mad_mixlo_f16",
    "v_mad_mixhi_f16",
    "v_dot2_f32_f16",
    "v_dot2_i32_i16",
    "v_dot2_u32_u16",
    "v_dot4_i32_i8",
    "v_dot4_u32_u8",
    "v_dot8_i32_i4",
    "v_dot8_u32_u4",
    "v_dot2c_f32_f16",
    "v_dot2c_i32_i16",
    "v_dot4c_i32_i8",
    "v_dot8c_i32_i4",
    // mode_test.cpp
    "s_getreg_b32",
    "s_setreg_b32",
    "s_setreg_imm32_b32",
    "s_set_gpr_idx_on",
    "s_set_gpr_idx_off",
    "s_set_gpr_idx_idx",
    "s_set_gpr_idx_mode",
    // indexed_test.cpp
    "s_movrels_b32",
    "s_movrels_b64",
    "s_movreld_b32",
    "s_movreld_b64",
    "v_movrels_b32",
    "v_movreld_b32",
    "v_movrelsd_b32",
    "v_swap_b32",
    // matrix_test.cpp
    "v_mfma_f32_32x32x1f32",
    "v_mfma_f32_16x16x1f32",
    "v_mfma_f32_4x4x1f32",
    "v_mfma_f32_32x32x2f32",
    "v_mfma_f32_16x16x4f32",
    "v_mfma_f32_32x32x4f16",
    "v_mfma_f32_16x16x4f16",
    "v_mfma_f32_4x4x4f16",
    "v_mfma_f32_32x32x8f16",
    "v_mfma_f32_16x16x16f16",
    "v_mfma_f32_32x32x2bf16",
    "v_mfma_f32_16x16x2bf16",
    "v_mfma_f32_4x4x2bf16",
    "v_mfma_f32_32x32x4bf16",
    "v_mfma_f32_16x16x8bf16",
    "v_mfma_f32_32x32x4bf16_1k",
    "v_mfma_f32_16x16x4bf16_1k",
    "v_mfma_f32_4x4x4bf16_1k",
    "v_mfma_f32_32x32x8bf16_1k",
    "v_mfma_f32_16x16x16bf16_1k",
    "v_mfma_i32_32x32x4i8",
    "v_mfma_i32_16x16x4i8",
    "v_mfma_i32_4x4x4i8",
    "v_mfma_i32_32x32x8i8",
    "v_mfma_i32_16x16x16i8",
    "v_mfma_f64_16x16x4f64",
    "v_mfma_f64_4x4x4f64",
    // packed_forms_test.cpp
    "v_pk_fma_f32",
    "v_pk_mul_f32",
    "v_pk_add_f32",
    "v_pk_mov_b32",
    "v_accvgpr_read_b32",
    "v_accvgpr_write_b32",
    "v_accvgpr_mov_b32",
    "wbl2",
    "invl2",
    // gfx11_test.cpp
    "v_dot4_i32_iu8",
    "v_dot8_i32_iu4",
    "s_waitcnt_vscnt",
    "s_waitcnt_vmcnt",
    "s_waitcnt_expcnt",
    "s_waitcnt_lgkmcnt",
    "s_waitcnt_depctr",
    "s_wait_idle",
    "s_delay_alu",
    "s_clause",
    "s_set_inst_prefetch_distance",
    "s_sendmsg",
    "s_sethalt",
    "s_code_end",
    "s_sendmsg_rtn_b32",
    "s_sendmsg_rtn_b64",
    "s_round_mode",
    "s_denorm_mode",
};

/// Likewise on gfx1100 alone, behind the prefix of accesses to memory.
constexpr const char* kTestedOfGfx11[] = {"gl0_inv", "gl1_inv", "s_gl1_inv"};

std::set<std::string> tested_names() {
  std::set<std::string> tested(std::begin(kTested), std::end(kTested));
  for (const auto forms :
       {integer_forms(), float_forms(), conversion_forms(), comparison_forms(), half_forms()}) {
    for (const VectorForm& form : forms) {
      tested.insert(form.name);
    }
  }
  for (const ScalarForm& form : scalar_forms()) {
    tested.insert(form.name);
  }
  for (const MemoryForm& form : memory_forms()) {
    tested.insert(form.name);
  }
  for (const SharedForm& form : shared_forms()) {
    tested.insert(form.access.name);
  }
  return tested;
}

std::string_view without_prefix(std::string_view name) {
  for (const std::string_view prefix : {"flat_", "global_", "scratch_", "buffer_"}) {
    if (name.starts_with(prefix)) {
      return name.substr(prefix.size());
    }
  }
  return name;
}

TEST(Coverage, EveryMnemonicIsTested) {
  std::set<std::string> tested = tested_names();
  for (const auto entries : meanings_of(chosen_level()).tables) {
    for (const MeaningEntry& entry : entries) {
      EXPECT_EQ(tested.erase(std::string(entry.mnemonic)), 1U) << entry.mnemonic << " has no test";
    }
  }
  for (const std::string& name : tested) {
    ADD_FAILURE() << name << " is tested, but the executor does not know it";
  }
}

/// What gfx1100 calls it, and the executor takes for what a test runs.
TEST(Coverage, EveryNameOfGfx11IsTested) {
  const Processor& processor = *find_processor("gfx1100");
  std::set<std::string> tested(std::begin(kTestedOfGfx11), std::end(kTestedOfGfx11));
  for (const std::string& name : tested_names()) {
    tested.insert(name_on(processor, name));
  }
  unsigned count = 0;
  for (const OpcodeSpace& space : opcode_spaces(processor)) {
    if (space.format == Format::kVopd || space.format == Format::kVopdSecond) {
      continue; // gfx11_test.cpp
    }
    for (std::uint32_t opcode = 0; opcode < space.opcodes(); ++opcode) {
      const std::string_view name =
          mnemonic_of(processor, space.format, space.base | opcode << space.first_bit);
      if (!name.empty() && find_meaning(name, processor) != nullptr) {
        ++count;
        EXPECT_TRUE(tested.contains(std::string(without_prefix(name)))) << name;
      }
    }
  }
  EXPECT_GT(count, 700U);
}

} // namespace
} // namespace gantry::simt::amdgcn
