// Every level of the host's instruction set gives the same bits, those of NaNs as well: all
// meanings of vector instructions, on operands of all kinds, beside the baseline's.
#include "operand.h"

#include "simt/amdgcn/exec/levels.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <random>
#include <vector>

namespace gantry::simt::amdgcn {
namespace {

constexpr unsigned kRows = 64;
constexpr unsigned kResult = 20;

OperandType edges_for(Type type) {
  switch (type) {
  case Type::kF32:
    return 'f';
  case Type::kF64:
    return 'd';
  case Type::kB64:
  case Type::kI64:
    return 'U';
  default:
    return 'u';
  }
}

bool is_compared(const Meaning& meaning) {
  return meaning.kind == Meaning::Kind::kVector || meaning.kind == Meaning::Kind::kCompare;
}

class LevelsTest : public testing::TestWithParam<Level> {
protected:
  /// An instruction of the meaning: of the sources, those of `vectors` are VGPRs.
  Instruction instruction(const Meaning& meaning, unsigned vectors) {
    Instruction made;
    made.meaning = &meaning;
    made.result = random_() % 4 == 0 ? 2 : kResult; // in place of a source as well
    made.mask = 40;
    for (unsigned i = 0; i < 4; ++i) {
      Source& source = made.sources[i];
      const bool is_mask = i == 3;
      if (!is_mask && meaning.sources[i] != Type::kNone &&
          (((vectors >> i) & 1) != 0 && ((meaning.scalars >> i) & 1) == 0)) {
        source = {Source::Kind::kVector, static_cast<std::uint16_t>(2 + 4 * i)};
      } else if (random_() % 2 == 0 || is_mask) {
        source = {Source::Kind::kScalar, static_cast<std::uint16_t>(10 + 4 * i)};
      } else {
        source.kind = Source::Kind::kConstant;
        source.constant = any_value(edges_for(meaning.sources[std::min(i, 2U)]), random_);
      }
    }
    made.packed = {static_cast<std::uint8_t>(random_() & 7),
                   static_cast<std::uint8_t>(random_() & 7),
                   static_cast<std::uint8_t>(random_() & 7),
                   static_cast<std::uint8_t>(random_() & 7), random_() % 4 == 0};
    return made;
  }

  void fill(const Meaning& meaning, Wave& wave) {
    for (unsigned row = 0; row < kRows; ++row) {
      for (std::uint32_t& lane : wave.v[row]) {
        lane = static_cast<std::uint32_t>(any_value('f', random_));
      }
    }
    for (unsigned i = 0; i < 3; ++i) {
      const OperandType type = edges_for(meaning.sources[i]);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t value = any_value(type, random_);
        wave.v[2 + 4 * i][lane] = static_cast<std::uint32_t>(value);
        if (registers_of(meaning.sources[i]) == 2) {
          wave.v[3 + 4 * i][lane] = static_cast<std::uint32_t>(value >> 32);
        }
      }
      wave.set_pair(10 + 4 * i, any_value(type, random_));
    }
    wave.set_pair(22, random_());
    const LaneMask masks[] = {~LaneMask{0}, random_(), LaneMask{1} << (random_() % kLanes), 0};
    wave.set_pair(scalar::kExec, masks[random_() % std::size(masks)]);
  }

  /// What runs the instruction; with VGPRs alone, at times what stays at the type's bounds.
  static Meaning::Run run_of(const Meaning& meaning, const Instruction& instruction, bool clamps) {
    if (clamps && meaning.clamped != nullptr) {
      return meaning.clamped;
    }
    if (meaning.runs == nullptr) {
      return meaning.run;
    }
    unsigned vectors = 0;
    for (unsigned i = 0; i < meaning.run_sources; ++i) {
      vectors |= (instruction.sources[i].kind == Source::Kind::kVector ? 1U : 0U) << i;
    }
    return meaning.runs[vectors];
  }

  void compare(std::string_view mnemonic, const Meaning& reference, const Meaning& meaning) {
    auto first = std::make_unique<Wave>();
    auto second = std::make_unique<Wave>();
    first->grid = second->grid = &grid_;
    for (unsigned round = 0; round < 200; ++round) {
      const Instruction it = instruction(reference, round % 8);
      fill(reference, *first);
      std::memcpy(second->v, first->v, kRows * sizeof first->v[0]);
      std::memcpy(second->s, first->s, sizeof first->s);
      const bool clamps = round % 16 == 7;
      run_of(reference, it, clamps)(*first, it);
      run_of(meaning, it, clamps)(*second, it);
      for (unsigned row = 0; row < kRows; ++row) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          ASSERT_EQ(first->v[row][lane], second->v[row][lane])
              << mnemonic << ", round " << round << ", register " << row << ", lane " << lane;
        }
      }
      ASSERT_EQ(std::memcmp(first->s, second->s, sizeof first->s), 0)
          << mnemonic << ", round " << round << ": SGPRs";
    }
  }

  std::mt19937_64 random_{1};
  Grid grid_{.processor = find_processor("gfx906"), .kernel = "k"};
};

TEST_P(LevelsTest, GiveTheSameBits) {
  const auto reference = meanings_of(Level::kBaseline).tables;
  const auto tables = meanings_of(GetParam()).tables;
  ASSERT_EQ(reference.size(), tables.size());
  unsigned count = 0;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    ASSERT_EQ(reference[table].size(), tables[table].size());
    for (std::size_t i = 0; i < tables[table].size(); ++i) {
      const MeaningEntry& entry = reference[table][i];
      ASSERT_EQ(entry.mnemonic, tables[table][i].mnemonic);
      const bool is_shared = entry.meaning.run == tables[table][i].meaning.run;
      if (is_compared(entry.meaning) && !is_shared) {
        compare(entry.mnemonic, entry.meaning, tables[table][i].meaning);
        ++count;
      }
    }
  }
  EXPECT_GT(count, 300U);
}

INSTANTIATE_TEST_SUITE_P(All, LevelsTest, testing::ValuesIn(available_levels().subspan(1)),
                         [](const testing::TestParamInfo<Level>& parameter) {
                           return std::string(name_of(parameter.param));
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LevelsTest); // of processors without more levels

} // namespace
} // namespace gantry::simt::amdgcn
