// Code that is compiled does to a wave what code that is interpreted does: random lines of all
// kinds of instructions, one behind the other, whose registers and masks go from one to the next.
#include "scalar_form.h"
#include "vector_attempts.h"
#include "vector_form.h"

#include "simt/amdgcn/exec/compiled_code.h"
#include "simt/amdgcn/exec/compiler_library.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <regex>

namespace gantry::simt::amdgcn {
namespace {

constexpr unsigned kVectors = 24; ///< registers that lines name
constexpr unsigned kLines = 60;   ///< of a program
constexpr unsigned kRuns = 12;    ///< of a program, each with other values

/// What changes the lanes that are active, and what vectors are computed with.
constexpr const char* kExecLines[] = {
    "s_mov_b64 exec, s[2:3]",         "s_mov_b64 exec, -1",
    "s_mov_b64 exec, 0x7ffe",         "s_mov_b64 exec, vcc",
    "s_not_b64 exec, exec",           "s_or_b64 exec, exec, s[4:5]",
    "s_and_saveexec_b64 s[6:7], vcc", "s_andn2_saveexec_b64 s[6:7], s[8:9]",
};
constexpr const char* kScalarLines[] = {
    "s_xor_b64 vcc, exec, vcc",  "s_and_b64 vcc, vcc, s[10:11]",
    "s_mov_b32 s3, vcc_lo",      "s_add_u32 s4, s5, s6",
    "s_addc_u32 s7, s8, vcc_hi", "s_sub_i32 s9, s10, 17",
    "s_cmp_lt_i32 s2, s3",       "s_cselect_b64 s[12:13], s[2:3], exec",
    "s_cmov_b32 s3, s4",         "s_lshl_b64 s[10:11], s[12:13], 3",
    "s_bitset1_b32 s5, s6",      "s_ff1_i32_b64 s7, vcc",
    "s_mul_i32 s8, s9, s10",     "s_mov_b32 m0, s5",
    "s_waitcnt lgkmcnt(0)",      "s_nop 1",
};
/// Likewise, of vectors, but not of lanes alone.
constexpr const char* kCrossLines[] = {
    "v_readfirstlane_b32 s5, v2",
    "v_readlane_b32 s6, v4, 9",
    "v_writelane_b32 v6, s7, 11",
    "v_mbcnt_lo_u32_b32 v2, s4, v6",
    "v_mov_b32_dpp v2, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
    "v_add_u32_dpp v2, v4, v6 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
    "ds_bpermute_b32 v2, v4, v6",
    "v_swap_b32 v2, v4",
};

/// What most code of doubles is made of.
constexpr const char* kDoubleLines[] = {
    "v_fma_f64 v[2:3], v[4:5], v[6:7], v[8:9]",
    "v_fma_f64 v[2:3], -v[4:5], v[6:7], v[8:9]",
    "v_fma_f64 v[2:3], v[4:5], |v[6:7]|, 1.0",
    "v_mul_f64 v[2:3], v[4:5], s[4:5]",
    "v_add_f64 v[2:3], v[4:5], -v[6:7]",
    "v_add_f64 v[2:3], -v[4:5], v[6:7]",
    "v_rcp_f64 v[2:3], v[4:5]",
    "v_div_scale_f64 v[2:3], vcc, v[4:5], v[4:5], v[6:7]",
    "v_div_fmas_f64 v[2:3], v[4:5], v[6:7], v[8:9]",
    "v_div_fixup_f64 v[2:3], v[4:5], v[6:7], v[8:9]",
    "v_mov_b32 v2, v4",
    "v_cndmask_b32 v2, v4, v6, vcc",
    "v_cmp_lt_f64 vcc, v[2:3], v[4:5]",
    "v_add_co_u32 v2, vcc, v4, v6",
    "v_addc_co_u32 v2, vcc, v4, v6, vcc",
    "v_max_f64 v[2:3], v[4:5], v[6:7]",
    "v_ldexp_f64 v[2:3], v[4:5], v6",
    "v_xor_b32 v2, 0x80000000, v4",
    "v_sub_f32 v2, v4, v6",
    "v_mul_f32 v2, 1.0, v4",
    "v_fma_f32 v2, -v4, v6, v8",
    "v_cvt_f32_f64 v2, v[4:5]",
    "v_cvt_f64_f32 v[2:3], v4",
};

class CompiledTest : public testing::Test {
protected:
  void SetUp() override {
    if (!may_compile()) {
      GTEST_SKIP() << "no compiler for this level";
    }
  }

  static void compile_all_of(const Machine& machine) {
    LoadedCode::State& code = *machine.wave().code;
    const Instruction* const entry = code.at(machine.code());
    compile_now(code, entry, kLanes);
    ASSERT_NE(entry->compiled, nullptr) << "what follows is about compiled code";
  }

  /// Another register in the place of each of the line, of scalars if there are any.
  std::string renamed(const std::string& line, unsigned scalars) {
    static const auto* const name = new std::regex(R"(\b([vs])(?:(\d+)\b|\[(\d+):(\d+)\]))");
    std::string made;
    std::size_t copied = 0;
    for (std::sregex_iterator found(line.begin(), line.end(), *name), end; found != end; ++found) {
      const std::smatch& match = *found;
      const char letter = line[static_cast<std::size_t>(match.position(0))];
      if (letter == 's' && scalars == 0) {
        continue;
      }
      const auto at = static_cast<std::size_t>(match.position(0));
      made += line.substr(copied, at - copied);
      copied = at + static_cast<std::size_t>(match.length(0));
      const unsigned count =
          match[2].matched ? 1
                           : static_cast<unsigned>(std::stoul(match[4]) - std::stoul(match[3]) + 1);
      const unsigned first = letter == 'v' ? number(kVectors - count)
                             : count == 1  ? number(scalars - 1)
                                           : 2 * number(scalars / 2 - 1);
      made += registers(letter, first, count);
    }
    return made + line.substr(copied);
  }
  /// With the mask that is VCC of so many lanes.
  static std::string of_lanes(const std::string& line, unsigned lanes) {
    static const auto* const mask = new std::regex(R"(\bvcc\b)");
    return lanes > 32 ? line : std::regex_replace(line, *mask, "vcc_lo");
  }
  unsigned number(unsigned most) { return static_cast<unsigned>(random_() % (most + 1)); }

  /// Those of vectors: of each of their names a list.
  struct Lines {
    std::vector<std::vector<std::string>> of_lanes; ///< as a lane has them, but for signs
    std::vector<std::vector<std::string>> others;   ///< of parts of registers, and the like
  };
  static Lines vector_lines(const Machine& machine) {
    Lines lines;
    for (const auto forms :
         {integer_forms(), float_forms(), conversion_forms(), comparison_forms(), half_forms()}) {
      for (const VectorForm& form : forms) {
        std::vector<std::string> of_lanes;
        std::vector<std::string> others;
        for (const Attempt& attempt : attempts_of(form.name, FormShape(form.types), machine)) {
          const std::string& text = attempt.text;
          const auto has = [&](const char* part) { return text.find(part) != text.npos; };
          const bool is_other =
              has("sdwa") || has("cmpx") || has("clamp") || has("op_sel") || has(".h") || has(".l");
          (is_other ? others : of_lanes).push_back(text);
        }
        lines.of_lanes.push_back(std::move(of_lanes));
        lines.others.push_back(std::move(others));
      }
    }
    std::erase_if(lines.of_lanes, [](const auto& list) { return list.empty(); });
    std::erase_if(lines.others, [](const auto& list) { return list.empty(); });
    return lines;
  }
  template <typename List>
  const auto& any_of(const List& list) {
    return list[number(static_cast<unsigned>(std::size(list)) - 1)];
  }

  void fill(Wave& wave) {
    for (unsigned row = 0; row < kVectors + 2; row += 2) {
      const char type = "dddffuUh"[number(7)];
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t low = any_value(type, random_);
        const std::uint64_t high = width_of(type) == 64 ? low >> 32 : any_value(type, random_);
        wave.v[row][lane] = static_cast<std::uint32_t>(low);
        wave.v[row + 1][lane] = static_cast<std::uint32_t>(high);
      }
    }
    for (unsigned index = 0; index < 40; index += 2) {
      wave.set_pair(index, any_value("dfUu"[number(3)], random_));
    }
    const LaneMask masks[] = {~LaneMask{0}, random_(), LaneMask{1} << number(63), 0};
    wave.set_pair(scalar::kExec, masks[number(3)]);
    wave.set_pair(scalar::kVcc, random_());
    wave.s[scalar::kScc] = number(1);
    wave.s[scalar::kM0] = 0;
  }

  /// Empty if the waves are the same.
  static std::string difference(const Wave& expected, const Wave& found) {
    for (unsigned row = 0; row < kVectors + 2; ++row) {
      for (unsigned lane = 0; lane < static_cast<unsigned>(std::popcount(expected.all)); ++lane) {
        if (expected.v[row][lane] != found.v[row][lane]) {
          return fmt::format("v{}, lane {}: interpreted {:#x}, compiled {:#x}", row, lane,
                             expected.v[row][lane], found.v[row][lane]);
        }
      }
    }
    for (unsigned index = 0; index <= scalar::kScc; ++index) {
      if (expected.s[index] != found.s[index]) {
        return fmt::format("s{}: interpreted {:#x}, compiled {:#x}", index, expected.s[index],
                           found.s[index]);
      }
    }
    return "";
  }

  /// Runs the program on both, with the values of a seed.
  std::string difference(Machine& interpreting, Machine& compiling,
                         const std::vector<std::string>& lines, std::uint64_t seed) {
    Words code;
    for (const Words& words :
         assemble(interpreting.processor().name, lines,
                  interpreting.wave().all >> 32 == 0 ? "" : "+wavefrontsize64")) {
      code.insert(code.end(), words.begin(), words.end());
    }
    interpreting.load(code);
    compiling.load(code);
    Wave& wave = compiling.wave();
    const Instruction* const entry = wave.code->at(compiling.code());
    compile_now(*wave.code, entry, static_cast<unsigned>(std::popcount(wave.all)));
    if (entry->compiled == nullptr) {
      return "not compiled";
    }
    random_.seed(seed);
    for (unsigned run = 0; run < kRuns; ++run) {
      fill(interpreting.wave());
      std::memcpy(wave.v, interpreting.wave().v, sizeof wave.v);
      std::memcpy(wave.s, interpreting.wave().s, sizeof wave.s);
      if (interpreting.run(0, code.size()) != Next::kOn ||
          compiling.run(0, code.size()) != Next::kOn) {
        return interpreting.report() + compiling.report();
      }
      if (std::string found = difference(interpreting.wave(), wave); !found.empty()) {
        return found;
      }
    }
    return "";
  }

  /// Likewise; where they differ, says so with no more lines than it takes.
  void check(Machine& interpreting, Machine& compiling, std::vector<std::string> lines,
             std::uint64_t seed) {
    std::string found = difference(interpreting, compiling, lines, seed);
    if (found.empty()) {
      return;
    }
    for (std::size_t i = 0; i < lines.size() && lines.size() > 1;) {
      std::vector<std::string> fewer = lines;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      std::string still = difference(interpreting, compiling, fewer, seed);
      if (still.empty()) {
        ++i;
      } else {
        found = std::move(still);
        lines = std::move(fewer);
      }
    }
    FAIL() << found << fmt::format("\n  {}", fmt::join(lines, "\n  "));
  }

  void check_programs(const char* processor, unsigned lanes, unsigned count) {
    Machine interpreting(*find_processor(processor), lanes);
    Machine compiling(*find_processor(processor), lanes);
    const Lines vectors = vector_lines(interpreting);
    for (unsigned program = 0; program < count; ++program) {
      std::vector<std::string> lines;
      for (unsigned i = 0; i < kLines; ++i) {
        switch (number(15)) {
        case 0:
          lines.push_back(renamed(any_of(kScalarLines), 0));
          break;
        case 1:
          lines.push_back(number(3) == 0 ? renamed(any_of(kExecLines), 0) : "s_mov_b64 exec, -1");
          break;
        case 2:
          lines.push_back(renamed(any_of(kCrossLines), 0));
          break;
        case 3:
          lines.push_back(renamed(any_of(any_of(vectors.others)), 16));
          break;
        case 4:
        case 5:
        case 6:
        case 7:
          lines.push_back(renamed(of_lanes(any_of(kDoubleLines), lanes), 16));
          break;
        default:
          lines.push_back(renamed(any_of(any_of(vectors.of_lanes)), 16));
        }
      }
      const std::uint64_t seed = random_();
      check(interpreting, compiling, std::move(lines), seed);
      random_.seed(seed);
      if (HasFatalFailure()) {
        return;
      }
    }
  }

  std::mt19937_64 random_{1}; // NOLINT(bugprone-random-generator-seed): each run is to be the same
};

TEST_F(CompiledTest, RandomLinesOfGfx906) {
  check_programs("gfx906", 64, 40);
}
TEST_F(CompiledTest, RandomLinesOfGfx1100) {
  check_programs("gfx1100", 32, 20);
}

/// A loop of `s8` turns, with a float and a double that depend on all of them, and a branch within.
class CompiledLoopTest : public CompiledTest {
protected:
  CompiledLoopTest() {
    for (const Words& words : assemble("gfx906", {std::begin(kCode), std::end(kCode)})) {
      code_.insert(code_.end(), words.begin(), words.end());
    }
    for (Machine* machine : {&interpreting_, &compiling_}) {
      machine->load(code_);
      fill(machine->wave());
      random_.seed(1);
    }
    std::memcpy(compiling_.wave().v, interpreting_.wave().v, sizeof(Wave::v));
    std::memcpy(compiling_.wave().s, interpreting_.wave().s, sizeof(Wave::s));
  }

  static constexpr unsigned kTurns = 1000;
  static constexpr unsigned kLoop = 1; ///< dword of its head
  static constexpr const char* kCode[] = {
      "s_movk_i32 s8, 1000",      "v_add_f64 v[2:3], v[4:5], v[2:3]",
      "v_cmp_lt_u32 vcc, v6, v7", "s_and_saveexec_b64 s[6:7], vcc",
      "s_cbranch_execz 3",        "v_xor_b32 v7, v7, v2",
      "v_mul_lo_u32 v8, v7, v6",  "s_mov_b64 exec, s[6:7]",
      "v_add_u32 v6, 1, v6",      "s_sub_u32 s8, s8, 1",
      "s_cmp_lg_u32 s8, 0",       "s_cbranch_scc1 65523",
  };

  void compile() { compile_all_of(compiling_); }
  /// Until the end; how often the wave has let others run.
  unsigned run_on(Machine& machine, std::int32_t turn) {
    unsigned left = 0;
    for (Next next = Next::kOn; machine.position() != code_.size();) {
      if (next == Next::kYield) {
        ++left;
        machine.wave().branches_left = turn;
      }
      next = machine.step_on();
      if (next != Next::kOn && next != Next::kYield) {
        ADD_FAILURE() << machine.report();
        break;
      }
    }
    return left;
  }

  Words code_;
  Machine interpreting_{*find_processor("gfx906")};
  Machine compiling_{*find_processor("gfx906")};
};

TEST_F(CompiledLoopTest, IsTakenUpInTheMiddle) {
  ASSERT_EQ(interpreting_.step(0), Next::kOn);
  ASSERT_EQ(compiling_.step(0), Next::kOn);
  for (unsigned i = 0; i < 300; ++i) { // it is interpreted at first
    ASSERT_EQ(compiling_.step_on(), Next::kOn);
  }
  compile();
  compiling_.wave().branches_left = interpreting_.wave().branches_left = 2 * kTurns;
  (void)run_on(compiling_, 2 * kTurns);
  (void)run_on(interpreting_, 2 * kTurns);
  EXPECT_EQ(difference(interpreting_.wave(), compiling_.wave()), "");
}

TEST_F(CompiledLoopTest, LetsOthersRunWhenItsTurnIsOver) {
  constexpr std::int32_t kTurn = 7;
  compile();
  ASSERT_EQ(interpreting_.step(0), Next::kOn);
  interpreting_.wave().branches_left = kTurn;
  Wave& wave = compiling_.wave();
  wave.pc = wave.code->at(compiling_.code());
  wave.branches_left = kTurn;
  const unsigned expected = run_on(interpreting_, kTurn);
  EXPECT_GT(expected, kTurns / kTurn - 2);
  EXPECT_EQ(run_on(compiling_, kTurn), expected);
  EXPECT_EQ(wave.branches_left, interpreting_.wave().branches_left);
  EXPECT_EQ(difference(interpreting_.wave(), wave), "");
}

// What some instructions read of lanes that are not active is live there, though the active ones
// are written in between. Behind the end nothing is live.
TEST_F(CompiledTest, InactiveLanesAreReadToo) {
  Machine machine(*find_processor("gfx906"));
  Words code;
  for (const Words& words :
       assemble("gfx906", {"s_mov_b64 exec, -1", "v_mov_b32 v1, v2", "s_mov_b64 exec, 63",
                           "v_mov_b32 v1, v3", "v_readlane_b32 s20, v1, 40", "v_mov_b32 v4, s20",
                           "global_store_dword v[6:7], v4, off", "s_endpgm"})) {
    code.insert(code.end(), words.begin(), words.end());
  }
  machine.load(code);
  Wave& wave = machine.wave();
  compile_all_of(machine);
  const std::uint64_t address = std::bit_cast<std::uint64_t>(machine.global().data());
  std::fill_n(wave.v[1], kLanes, 1U);
  std::fill_n(wave.v[2], kLanes, 2U);
  std::fill_n(wave.v[3], kLanes, 3U);
  std::fill_n(wave.v[6], kLanes, static_cast<std::uint32_t>(address));
  std::fill_n(wave.v[7], kLanes, static_cast<std::uint32_t>(address >> 32));
  ASSERT_EQ(machine.run(0, code.size()), Next::kEnd) << machine.report();
  std::uint32_t stored = 0;
  std::memcpy(&stored, machine.global().data(), sizeof stored);
  EXPECT_EQ(stored, 2U);
}

TEST_F(CompiledTest, FaultsHaveTheirPlace) {
  Machine machine(*find_processor("gfx906"));
  Words code;
  for (const Words& words : assemble(
           "gfx906", {"v_mov_b32 v2, 0", "v_mov_b32 v3, 0", "global_load_dword v4, v[2:3], off"})) {
    code.insert(code.end(), words.begin(), words.end());
  }
  machine.load(code);
  machine.wave().set_pair(scalar::kExec, LaneMask{1} << 5);
  ASSERT_EQ(machine.run(0, code.size()), Next::kFault);
  const std::string interpreted = machine.report();
  compile_all_of(machine);
  ASSERT_EQ(machine.run(0, code.size()), Next::kFault);
  EXPECT_EQ(machine.report(), interpreted);
  EXPECT_NE(interpreted.find("global_load_dword v4"), std::string::npos) << interpreted;
}

} // namespace
} // namespace gantry::simt::amdgcn
