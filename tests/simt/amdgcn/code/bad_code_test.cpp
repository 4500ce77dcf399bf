// Code that cannot be run: each case ends with a report that says why.
#include "../assembler.h"
#include "../machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class BadCode : public testing::Test {
protected:
  Words words(const std::vector<std::string>& lines) {
    Words code;
    for (const Words& it : assemble("gfx906", lines)) {
      EXPECT_FALSE(it.empty()) << testing::PrintToString(lines);
      code.insert(code.end(), it.begin(), it.end());
    }
    return code;
  }
  /// Runs the code to its fault, and says what the report does.
  std::string report(const Words& code) {
    machine_.load(code);
    Next next = machine_.step(0);
    for (unsigned count = 0; count < 100 && next != Next::kFault && next != Next::kEnd; ++count) {
      next = machine_.step_on();
    }
    EXPECT_EQ(next, Next::kFault);
    EXPECT_THAT(machine_.report(), AllOf(StartsWith("gantry: error: kernel 'k': "),
                                         HasSubstr("\n  at "), HasSubstr("\n  in work-group")));
    return machine_.report();
  }
  std::string report(const std::vector<std::string>& lines) { return report(words(lines)); }
  void expect_kind(FaultKind kind) {
    ASSERT_TRUE(wave_.fault);
    EXPECT_EQ(wave_.fault->kind, kind);
  }

  Machine machine_{*find_processor("gfx906")};
  Wave& wave_ = machine_.wave();
};

TEST_F(BadCode, NoInstruction) {
  EXPECT_THAT(report(Words{0xffffffff}), HasSubstr("0xffffffff is no instruction of gfx906"));
  expect_kind(FaultKind::kIllegalInstruction);
  EXPECT_THAT(report(Words{0xbf81ffff & ~0xffffU | 0x7f0000}), HasSubstr("is no instruction"));
}

TEST_F(BadCode, InstructionThatIsNotKnown) {
  EXPECT_THAT(report({"s_sendmsg sendmsg(MSG_INTERRUPT)"}), HasSubstr("s_sendmsg"));
  expect_kind(FaultKind::kIllegalInstruction);
  Words compared = words({"v_cmp_eq_u32_e32 vcc, s0, v1"});
  compared[0] |= 0xfa; // which has no DPP
  compared.push_back(0xff000000);
  EXPECT_THAT(report(compared), HasSubstr("DPP"));
  EXPECT_THAT(report({"ds_add_u32 v0, v1 gds"}), HasSubstr("GDS"));
  EXPECT_THAT(report({"buffer_load_dword v0, v1, s[4:7], 0 idxen"}), HasSubstr("buffer"));
  EXPECT_THAT(report({"ds_swizzle_b32 v0, v1 offset:0xc020"}), HasSubstr("the mode"));
  EXPECT_THAT(report({"v_pk_mul_lo_u16 v0, v1, v2 clamp"}), HasSubstr("a clamp of integers"));
  EXPECT_THAT(report({"v_fma_f16 v0, 1.0, v2, v3 op_sel:[1,0,0,0]"}), HasSubstr("op_sel"));
  Words sum = words({"v_add_f16_e64 v0, s1, v2"});
  sum[0] |= 1U << 11; // which has no choice of halves
  EXPECT_THAT(report(sum), HasSubstr("op_sel"));
}

TEST_F(BadCode, RegistersThatAreNone) {
  // v255 and the one behind it, in each place; the assembler does not write that.
  const Words pair = words({"v_add_f64 v[2:3], v[4:5], v[6:7]"});
  for (const auto& [word, bits] : {std::pair{0U, 0xffU}, {1U, 0xffU}, {1U, 0xffU << 9}}) {
    Words code = pair;
    code[word] |= bits;
    EXPECT_THAT(report(code), HasSubstr("a register that the machine does not have"));
  }
  const Words loaded = words({"global_load_dwordx4 v[4:7], v[2:3], off"});
  for (const std::uint32_t bits : {0xfdU << 24, 0xffU}) {
    Words code = loaded;
    code[1] = (code[1] & ~(bits > 0xff ? 0xff000000 : 0xff)) | bits;
    EXPECT_THAT(report(code), HasSubstr("a register that the machine does not have"));
  }
  const Words scalar = words({"s_load_dwordx16 s[4:19], s[2:3], 0x0"});
  EXPECT_THAT(report(Words{scalar[0] | 0x7fU << 6, scalar[1]}),
              HasSubstr("a register that the machine does not have"));
  const Words moved = words({"s_mov_b64 s[4:5], s[6:7]"});
  EXPECT_THAT(report(Words{moved[0] | 0x7f0000}),
              HasSubstr("a register that the machine does not have"));
  // VGPRs where only SGPRs can be.
  const Words lane = words({"v_readlane_b32 s4, v1, s2"});
  EXPECT_THAT(report(Words{lane[0], lane[1] | 0x100U << 9}), HasSubstr("v_readlane_b32"));
  const Words chosen = words({"v_cndmask_b32_e64 v4, v1, v2, s[4:5]"});
  EXPECT_THAT(report(Words{chosen[0], chosen[1] | 0x100U << 18}), HasSubstr("v_cndmask_b32"));
  const Words written = words({"v_writelane_b32 v4, s1, 3"});
  EXPECT_THAT(report(Words{written[0], written[1] | 0x100U}), HasSubstr("v_writelane_b32"));
}

TEST_F(BadCode, CodeThatEnds) {
  EXPECT_THAT(report({"s_nop 0"}), HasSubstr("the code ends here"));
  for (const char* const line : {"v_add3_u32 v0, v1, v2, v3", "global_load_dword v0, v[2:3], off",
                                 "s_mov_b32 s4, 0x12345678", "ds_read_b32 v0, v1",
                                 "v_add_f32 v0, 0x40490fdb, v1", "s_load_dword s4, s[2:3], 0x0"}) {
    Words code = words({line});
    ASSERT_EQ(code.size(), 2U);
    code.pop_back();
    EXPECT_THAT(report(code), HasSubstr("the code ends there"));
    expect_kind(FaultKind::kIllegalInstruction);
  }
}

TEST_F(BadCode, BranchesOutOfTheCode) {
  for (const char* const line : {"s_branch 1", "s_branch -2", "s_branch 32767", "s_branch -32768",
                                 "s_cbranch_scc0 1", "s_cbranch_execnz -3"}) {
    EXPECT_THAT(report({line}), HasSubstr("its target is outside of the code")) << line;
    expect_kind(FaultKind::kIllegalInstruction);
  }
  EXPECT_THAT(report({"s_call_b64 s[4:5], 100"}), HasSubstr("where no code is loaded"));
}

TEST_F(BadCode, CodeThatIsUnloaded) {
  const Words code = words({"s_nop 0", "s_endpgm"});
  const auto begin = reinterpret_cast<std::uint64_t>(code.data());
  auto loaded =
      std::make_unique<LoadedCode>(machine_.processor(), begin, code.size() * 4, CodeSources{});
  const std::shared_ptr<LoadedCode::State> kept = loaded->state().shared_from_this();
  EXPECT_EQ(code_at(begin), kept.get());
  EXPECT_NE(kept->text_at(begin), "");
  loaded.reset();
  EXPECT_EQ(code_at(begin), nullptr) << "other code may be loaded there";
  EXPECT_EQ(kept->text_at(begin), "");
}

TEST_F(BadCode, JumpsToNowhere) {
  for (const std::uint64_t target :
       {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 47,
        reinterpret_cast<std::uint64_t>(machine_.global().data())}) {
    for (const char* const line : {"s_setpc_b64 s[6:7]", "s_swappc_b64 s[30:31], s[6:7]"}) {
      wave_.set_pair(6, target);
      EXPECT_THAT(report({line}), HasSubstr("where no code is loaded"));
      expect_kind(FaultKind::kIllegalInstruction);
    }
  }
  // Between two dwords, and right behind the code.
  for (const unsigned low : {1U, 2U, 3U, 12U}) {
    EXPECT_THAT(report({"s_getpc_b64 s[6:7]", "s_add_u32 s6, s6, " + std::to_string(low),
                        "s_setpc_b64 s[6:7]"}),
                HasSubstr("where no code is loaded"));
  }
}

TEST_F(BadCode, AtomicOperationOfTwoDwordsOnPrivateMemory) {
  wave_.set_pair(scalar::kExec, 1);
  wave_.v[2][0] = 8;
  wave_.v[3][0] = static_cast<std::uint32_t>(kPrivateAperture >> 32);
  EXPECT_THAT(report({"flat_atomic_add_x2 v[2:3], v[4:5]"}),
              HasSubstr("on private memory, at offset 0x8: a lane's dwords do not lie"));
  expect_kind(FaultKind::kMemory);
}

TEST_F(BadCode, ReportsSayWhichInstructionAndWhatIsNear) {
  wave_.set_pair(scalar::kExec, 1);
  const auto global = reinterpret_cast<std::uint64_t>(machine_.global().data());
  wave_.set_pair(6, 0x1000);
  EXPECT_THAT(report({"s_load_dwordx2 s[8:9], s[6:7], 0x10"}),
              AllOf(HasSubstr(": s_load_dwordx2 s[8:9], s[6:7], 0x10\n"),
                    HasSubstr("\n  the address is null plus 4112 bytes\n  hint: check that")));
  wave_.set_pair(6, global + Machine::kBytes);
  wave_.v[2][0] = 12;
  EXPECT_THAT(report({"global_store_dword v2, v4, s[6:7] offset:4"}),
              AllOf(HasSubstr(": global_store_dword v2, v4, s[6:7] offset:4\n"),
                    HasSubstr("the address is 16 bytes past the end of device memory of 32768")));
  wave_.v[2][0] = 0;
  EXPECT_THAT(report({"global_load_dword v4, v2, s[6:7]"}), HasSubstr("is the end of device mem"));
  int on_host = 0;
  wave_.set_pair(6, reinterpret_cast<std::uint64_t>(&on_host));
  EXPECT_THAT(report({"global_load_dword v4, v2, s[6:7]"}),
              AllOf(HasSubstr("the address is host memory (not mapped for the device)\n"),
                    HasSubstr("hint: pass the kernel memory of one of the agent's pools")));
  EXPECT_THAT(report({"s_trap 2"}), HasSubstr(": s_trap 0x2\n"));
}

TEST_F(BadCode, AddressesOfFaultsAreFlat) {
  wave_.set_pair(scalar::kExec, 1);
  const auto fault_of = [&](const char* line, std::uint32_t offset) {
    wave_.v[2][0] = offset;
    (void)report({line});
    return wave_.fault ? wave_.fault->address : 0;
  };
  EXPECT_EQ(fault_of("ds_read_b32 v0, v2", 0x12340), kSharedAperture + 0x12340);
  wave_.set_pair(scalar::kFlatScratch, wave_.scratch);
  EXPECT_EQ(fault_of("scratch_load_dword v0, v2, off", 0x5670), kPrivateAperture + 0x5670);
  wave_.v[3][0] = 0x70; // of the host's addresses
  EXPECT_EQ(fault_of("global_load_dword v0, v[2:3], off", 0x1000), 0x70'0000'1000);
}

TEST_F(BadCode, AccessesThatAreNotAllowed) {
  wave_.set_pair(scalar::kExec, LaneMask{1} << 5);
  const auto set = [&](std::uint64_t address) {
    wave_.v[2][5] = static_cast<std::uint32_t>(address);
    wave_.v[3][5] = static_cast<std::uint32_t>(address >> 32);
  };
  const auto global = reinterpret_cast<std::uint64_t>(machine_.global().data());
  struct Case {
    const char* line;
    std::uint64_t address;
    const char* said;
  };
  const Case cases[] = {
      {"global_load_dword v0, v[2:3], off", 16, "load of 4 bytes at 0x10, which is not accessible"},
      {"flat_store_dwordx4 v[2:3], v[4:7]", 0, "store of 16 bytes at 0x0, which"},
      {"global_store_byte v[2:3], v4, off", global + Machine::kBytes, "store of 1 byte at"},
      {"global_load_dwordx2 v[0:1], v[2:3], off", global + Machine::kBytes - 4,
       "the access reaches 4 bytes past the end of device memory of 32768 bytes at [0x"},
      {"global_atomic_add v[2:3], v4, off", global + Machine::kBytes, "atomic operation of 4"},
      {"global_atomic_add v[2:3], v4, off", global + 2, "no multiple of that"},
      {"flat_atomic_add_x2 v[2:3], v[4:5]", global + 4, "no multiple of that"},
      {"flat_load_dword v0, v[2:3]", kSharedAperture + Machine::kBytes - 2,
       "beyond the work-group"},
      {"flat_load_dword v0, v[2:3]", kPrivateAperture + Machine::kPrivateBytes,
       "beyond the work-i"},
      {"flat_load_dwordx3 v[4:6], v[2:3]", kPrivateAperture + Machine::kPrivateBytes - 8,
       "beyond the work-item"},
      {"flat_load_dword v0, v[2:3]", (std::uint64_t{1} << 48) + (std::uint64_t{1} << 33),
       "not accessible"},
      {"ds_read_b32 v0, v2", Machine::kBytes - 3, "beyond the work-group's LDS"},
      {"ds_write_b64 v2, v[4:5] offset:65532", 0, "beyond the work-group's LDS"},
      {"ds_add_u32 v2, v4", 2, "no multiple of that"},
      {"scratch_load_dword v0, v2, off", Machine::kPrivateBytes, "beyond the work-item's private"},
      {"scratch_load_dword v0, v2, off offset:-4", 0, "beyond the work-item's private"},
      {"buffer_load_dword v0, v2, s[12:15], 0 offen", Machine::kPrivateBytes, "beyond the work-it"},
      {"buffer_store_dword v0, off, s[8:11], 0", 0, "beyond the work-item's private memory"},
  };
  for (const Case& it : cases) {
    set(it.address);
    wave_.set_pair(scalar::kFlatScratch, wave_.scratch);
    wave_.set_pair(12, wave_.scratch);
    wave_.set_pair(8, 0x1234); // whose memory is not the wave's
    EXPECT_THAT(report({it.line}), AllOf(HasSubstr(it.said), HasSubstr("work-item (69,0,0)")))
        << it.line;
    expect_kind(FaultKind::kMemory);
  }
  wave_.set_pair(4, 8);
  EXPECT_THAT(report({"s_load_dwordx4 s[8:11], s[4:5], 0x0"}),
              HasSubstr("load of 16 bytes at 0x8"));
  expect_kind(FaultKind::kMemory);
  // Lanes that are not active go nowhere.
  wave_.set_pair(scalar::kExec, 0);
  set(16);
  machine_.load(words({"global_load_dword v0, v[2:3], off"}));
  EXPECT_EQ(machine_.step(0), Next::kOn);
}

} // namespace
} // namespace gantry::simt::amdgcn
