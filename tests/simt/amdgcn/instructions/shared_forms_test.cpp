// Every access to LDS, and the exchanges of lanes that go its way.
#include "memory_model.h"
#include "names.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>

namespace gantry::simt::amdgcn {
namespace {

using Kind = MemoryForm::Kind;

class SharedForms : public testing::TestWithParam<SharedForm> {};

TEST_P(SharedForms, DoWhatTheReferenceDoes) {
  const SharedForm& form = GetParam();
  const MemoryForm& access = form.access;
  const std::string_view name = access.name;
  const bool is_load = access.kind == Kind::kLoad;
  const bool is_atomic = access.kind == Kind::kAtomic;
  const unsigned dwords = std::max(1U, access.bytes / 4);
  const OperandType type = name.ends_with("f32")   ? 'f'
                           : name.ends_with("f64") ? 'd'
                           : access.bytes == 8     ? 'U'
                                                   : 'u';
  std::mt19937_64 random{1};
  unsigned count = 0;
  for (const char* const processor : {"gfx906", "gfx90a", "gfx803", "gfx1100"}) {
    Machine machine(*find_processor(processor));
    Wave& wave = machine.wave();
    scramble(wave, random);
    fill(machine, random);
    for (const unsigned result : {kResult, kAddress}) {
      for (const std::pair<unsigned, unsigned> offsets :
           {std::pair{0U, 0U}, {8U, 12U}, {31U, 1U}, {255U, 1U}, {65528U, 0U}}) {
        const auto [first, second] = offsets;
        if (form.unit != 0 && first * form.unit > Machine::kBytes / 2) {
          continue;
        }
        std::string line = name_on(machine.processor(), name) + " ";
        if (is_load || form.returns) {
          line += registers('v', result, form.unit != 0 ? 2 * dwords : dwords) + ", ";
        }
        line += "v2";
        line += is_load ? "" : ", " + registers('v', kData, dwords);
        if (access.compares || (form.unit != 0 && !is_load)) {
          line += ", " + registers('v', kSecondData, dwords);
        }
        line += form.unit != 0 ? fmt::format(" offset0:{} offset1:{}", first, second)
                               : fmt::format(" offset:{}", first);
        const std::vector<Words> words = assemble(processor, {line});
        if (words[0].empty()) {
          continue;
        }
        machine.load(words[0]);
        ++count;
        for (unsigned round = 0; round < 8; ++round) {
          const LaneMask exec = mask_of(round, random);
          wave.set_pair(scalar::kExec, exec);
          const LaneMask active = wave.exec();
          std::uint64_t places[kLanes];
          for (unsigned row = 0; row < kRows; ++row) {
            for (std::uint32_t& lane : wave.v[row]) {
              lane = static_cast<std::uint32_t>(random());
            }
          }
          unsigned slots[kLanes];
          std::iota(std::begin(slots), std::end(slots), 0U);
          std::shuffle(std::begin(slots), std::end(slots), random);
          for (unsigned lane = 0; lane < kLanes; ++lane) {
            // The address may be below 0, and the sum is then one of 32 bits.
            const std::uint32_t inside =
                static_cast<std::uint32_t>(is_atomic ? random() % 4 * 8 : random() % 12);
            const std::uint32_t place = 1024 + slots[lane] * 32 + inside;
            places[lane] = form.unit != 0 ? place : place - first;
            wave.v[kAddress][lane] = static_cast<std::uint32_t>(places[lane]);
            if (is_atomic) {
              const std::uint64_t old = any_value(type, random);
              std::memcpy(machine.shared().data() + place, &old, access.bytes);
              const std::uint64_t data = any_value(type, random);
              const std::uint64_t compared = random() % 2 == 0 ? old : any_value(type, random);
              for (unsigned i = 0; i < dwords; ++i) {
                wave.v[kData + i][lane] =
                    static_cast<std::uint32_t>((form.compare_first ? compared : data) >> (32 * i));
                wave.v[kSecondData + i][lane] =
                    static_cast<std::uint32_t>((form.compare_first ? data : compared) >> (32 * i));
              }
            }
          }
          auto expected = std::make_unique<Wave>(wave);
          Image image(machine);
          ASSERT_EQ(machine.step(0), Next::kOn) << line << ": " << machine.report();
          Model model(machine, *expected, image);
          for (unsigned lane = 0; lane < kLanes; ++lane) {
            if (((active >> lane) & 1) == 0) {
              continue;
            }
            for (unsigned part = 0; part < (form.unit != 0 ? 2U : 1U); ++part) {
              const std::uint32_t offset =
                  form.unit != 0 ? (part == 0 ? first : second) * form.unit : first;
              const auto place = static_cast<std::uint32_t>(places[lane] + offset);
              if (is_load) {
                model.load(access, Where::kShared, lane, place, result + part * dwords);
              } else if (!is_atomic) {
                model.store(access, Where::kShared, lane, place, part == 0 ? kData : kSecondData);
              } else {
                const std::uint64_t one = model.value(kData, lane, access.bytes);
                const std::uint64_t two = model.value(kSecondData, lane, access.bytes);
                model.change(access, Where::kShared, lane, place, form.compare_first ? two : one,
                             form.compare_first ? one : two, form.returns ? result : 0);
              }
            }
          }
          ASSERT_TRUE(image.is_of(machine)) << line << ", round " << round;
          ASSERT_EQ(std::memcmp(wave.v, expected->v, kRows * sizeof wave.v[0]), 0) << line;
          ASSERT_EQ(std::memcmp(wave.s, expected->s, sizeof wave.s), 0) << line;
        }
      }
    }
  }
  EXPECT_GT(count, 1U);
}

INSTANTIATE_TEST_SUITE_P(All, SharedForms, testing::ValuesIn(shared_forms()),
                         [](const testing::TestParamInfo<SharedForm>& parameter) {
                           return std::string(parameter.param.access.name);
                         });

class Exchanges : public testing::Test {
protected:
  /// `from` is the lane whose value a lane gets, or kLanes for 0.
  void check(const std::string& line, auto set_address, auto value) {
    const std::vector<Words> words = assemble("gfx906", {line});
    ASSERT_FALSE(words[0].empty()) << line;
    machine_.load(words[0]);
    Wave& wave = machine_.wave();
    for (unsigned round = 0; round < 8; ++round) {
      scramble(wave, random_);
      const LaneMask exec = mask_of(round, random_);
      wave.set_pair(scalar::kExec, exec);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        set_address(wave.v[kAddress][lane], lane);
      }
      auto expected = std::make_unique<Wave>(wave);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (((exec >> lane) & 1) != 0) {
          expected->v[kResult][lane] = value(wave, exec, lane);
        }
      }
      ASSERT_EQ(machine_.step(0), Next::kOn) << machine_.report();
      ASSERT_EQ(std::memcmp(wave.v, expected->v, sizeof wave.v), 0) << line << " " << round;
      ASSERT_EQ(std::memcmp(wave.s, expected->s, sizeof wave.s), 0) << line;
    }
  }

  Machine machine_{*find_processor("gfx906")};
  std::mt19937_64 random_{1};
};

TEST_F(Exchanges, LanesTakeFromOthers) {
  for (const unsigned offset : {0U, 4U, 252U, 1000U}) {
    check(
        fmt::format("ds_bpermute_b32 v20, v2, v24 offset:{}", offset),
        [&](std::uint32_t& address, unsigned) { address = static_cast<std::uint32_t>(random_()); },
        [&](const Wave& wave, LaneMask exec, unsigned lane) {
          const unsigned from = (wave.v[kAddress][lane] + offset) / 4 % 64;
          return ((exec >> from) & 1) != 0 ? wave.v[kData][from] : 0;
        });
  }
}

TEST_F(Exchanges, LanesGiveToOthers) {
  for (const unsigned offset : {0U, 8U, 1000U}) {
    check(
        fmt::format("ds_permute_b32 v20, v2, v24 offset:{}", offset),
        [&](std::uint32_t& address, unsigned) { address = static_cast<std::uint32_t>(random_()); },
        [&](const Wave& wave, LaneMask exec, unsigned lane) {
          std::uint32_t value = 0;
          for (unsigned from = 0; from < kLanes; ++from) { // the last one's stays
            if (((exec >> from) & 1) != 0 && (wave.v[kAddress][from] + offset) / 4 % 64 == lane) {
              value = wave.v[kData][from];
            }
          }
          return value;
        });
  }
}

TEST_F(Exchanges, LanesAreSwizzled) {
  const auto nothing = [](std::uint32_t&, unsigned) {};
  const auto taken = [](const Wave& wave, LaneMask exec, unsigned from) {
    return ((exec >> from) & 1) != 0 ? wave.v[kAddress][from] : 0;
  };
  check("ds_swizzle_b32 v20, v2 offset:swizzle(QUAD_PERM, 3, 0, 0, 2)", nothing,
        [&](const Wave& wave, LaneMask exec, unsigned lane) {
          static constexpr unsigned kFrom[] = {3, 0, 0, 2};
          return taken(wave, exec, lane / 4 * 4 + kFrom[lane % 4]);
        });
  check("ds_swizzle_b32 v20, v2 offset:swizzle(BROADCAST, 8, 5)", nothing,
        [&](const Wave& wave, LaneMask exec, unsigned lane) {
          return taken(wave, exec, lane / 8 * 8 + 5);
        });
  check("ds_swizzle_b32 v20, v2 offset:swizzle(REVERSE, 16)", nothing,
        [&](const Wave& wave, LaneMask exec, unsigned lane) {
          return taken(wave, exec, lane / 16 * 16 + 15 - lane % 16);
        });
  check("ds_swizzle_b32 v20, v2 offset:swizzle(SWAP, 2)", nothing,
        [&](const Wave& wave, LaneMask exec, unsigned lane) {
          return taken(wave, exec, (lane / 2) % 2 == 0 ? lane + 2 : lane - 2);
        });
  check("ds_swizzle_b32 v20, v2 offset:swizzle(BITMASK_PERM, \"01pi0\")", nothing,
        [&](const Wave& wave, LaneMask exec, unsigned lane) {
          return taken(wave, exec, lane / 32 * 32 + 8 + (lane & 4) + ((lane & 2) ^ 2));
        });
}

} // namespace
} // namespace gantry::simt::amdgcn
