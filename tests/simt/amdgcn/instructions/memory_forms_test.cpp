// Every access to memory, with every kind of address.
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

/// An address as it is written, and what kind it is.
struct Address {
  enum class Kind : std::uint8_t {
    kFlat,
    kGlobal,
    kGlobalScalar,
    kScratch,
    kScratchScalar,
    kScratchBoth,
    kBuffer,
    kBufferScalar,
  };
  Kind kind;
  std::int64_t offset = 0;
  bool literal_base = false; ///< a buffer whose scalar offset is a constant
};

class MemoryForms : public testing::TestWithParam<MemoryForm> {
protected:
  static unsigned dwords() { return std::max(1U, GetParam().bytes / 4); }

  static std::string text(const Processor& processor, const Address& address, bool returns,
                          unsigned result) {
    const MemoryForm& form = GetParam();
    const unsigned count = dwords() * (form.compares ? 2 : 1);
    const std::string data = registers('v', kData, count);
    const std::string target = registers('v', result, dwords());
    const std::string offset = address.offset == 0 ? "" : fmt::format(" offset:{}", address.offset);
    const std::string glc = returns ? " glc" : "";
    std::string name;
    std::string first; // operands that are the address
    std::string last;
    switch (address.kind) {
      using enum Address::Kind;
    case kFlat:
      name = "flat_";
      first = "v[2:3]";
      break;
    case kGlobal:
      name = "global_";
      first = "v[2:3]";
      last = ", off";
      break;
    case kGlobalScalar:
      name = "global_";
      first = "v2";
      last = ", s[4:5]";
      break;
    case kScratch:
      name = "scratch_";
      first = "v2";
      last = ", off";
      break;
    case kScratchScalar:
      name = "scratch_";
      first = "off";
      last = ", s4";
      break;
    case kScratchBoth:
      name = "scratch_";
      first = "v2";
      last = ", s4";
      break;
    case kBuffer:
    case kBufferScalar: {
      const std::string base = address.literal_base ? "0" : "s9";
      const std::string where = address.kind == kBuffer
                                    ? fmt::format("v2, s[12:15], {} offen", base)
                                    : fmt::format("off, s[12:15], {}", base);
      return fmt::format("buffer_{} {}, {}{}{}", form.name,
                         form.kind == Kind::kLoad ? target : data, where, offset, glc);
    }
    }
    name = name_on(processor, name + form.name);
    switch (form.kind) {
    case Kind::kLoad:
      return fmt::format("{} {}, {}{}{}", name, target, first, last, offset);
    case Kind::kStore:
      return fmt::format("{} {}, {}{}{}", name, first, data, last, offset);
    default:
      return returns ? fmt::format("{} {}, {}, {}{}{} glc", name, target, first, data, last, offset)
                     : fmt::format("{} {}, {}{}{}", name, first, data, last, offset);
    }
  }

  /// Runs the instruction on memory in lanes of all kinds. False if a lane differed.
  static bool run(Machine& machine, const std::string& line, const Address& address, bool returns,
                  unsigned result, std::mt19937_64& random) {
    using enum Address::Kind;
    const MemoryForm& form = GetParam();
    Wave& wave = machine.wave();
    for (unsigned round = 0; round < 8; ++round) {
      const LaneMask exec = mask_of(round, random);
      wave.set_pair(scalar::kExec, exec);
      const LaneMask active = wave.exec();
      // Each lane has 64 bytes of its own.
      unsigned slots[kLanes];
      std::iota(std::begin(slots), std::end(slots), 0U);
      std::shuffle(std::begin(slots), std::end(slots), random);
      Where places[kLanes];
      std::uint64_t offsets[kLanes];
      const bool is_uniform = address.kind == kScratchScalar || address.kind == kBufferScalar;
      const std::uint32_t uniform = 64 + static_cast<std::uint32_t>(random() % 256);
      const std::uint32_t scalar_part = 4 * static_cast<std::uint32_t>(random() % 8);
      for (unsigned row = 0; row < kRows; ++row) {
        for (std::uint32_t& lane : wave.v[row]) {
          lane = static_cast<std::uint32_t>(random());
        }
      }
      wave.set_pair(kPair, random());
      wave.set_pair(scalar::kFlatScratch, wave.scratch);
      wave.set_pair(12, wave.scratch | std::uint64_t{1} << 63);
      wave.set_pair(14, 0x00ea'c000'ffff'ffff);
      // A scalar offset counts bytes of all lanes.
      wave.s[9] = scalar_part * kLanes;
      const auto global = reinterpret_cast<std::uint64_t>(machine.global().data());
      const std::uint64_t base = global - 5000;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        places[lane] = address.kind == kFlat ? static_cast<Where>(random() % 3)
                       : address.kind == kGlobal || address.kind == kGlobalScalar ? Where::kGlobal
                                                                                  : Where::kPrivate;
        const bool is_atomic = form.kind == Kind::kAtomic;
        if (is_atomic && places[lane] == Where::kPrivate && address.kind == kFlat) {
          places[lane] = Where::kShared;
        }
        const std::uint64_t inside = is_atomic ? random() % 5 * 8 : random() % 45;
        offsets[lane] = places[lane] == Where::kPrivate ? 64 + random() % 5 * 64 + inside
                                                        : 4096 + slots[lane] * 64 + inside;
        if (is_uniform) {
          offsets[lane] = is_atomic ? uniform / 8 * 8 : uniform;
        }
        const auto offset = static_cast<std::uint64_t>(address.offset);
        std::uint64_t value = 0;
        switch (address.kind) {
        case kFlat:
          value = (places[lane] == Where::kGlobal   ? global
                   : places[lane] == Where::kShared ? kSharedAperture
                                                    : kPrivateAperture) +
                  offsets[lane] - offset;
          break;
        case kGlobal:
          value = global + offsets[lane] - offset;
          break;
        case kGlobalScalar:
          wave.set_pair(kPair, base);
          value = low_bits(offsets[lane] + 5000 - offset, 32) | random() << 32;
          break;
        case kScratch:
          value = offsets[lane] - offset;
          break;
        case kScratchBoth: // a sum of 32 bits
          value = low_bits(offsets[lane] - offset - wave.s[kPair], 32);
          break;
        case kScratchScalar:
          wave.s[kPair] = static_cast<std::uint32_t>(offsets[lane] - offset);
          break;
        case kBuffer:
          value = low_bits(offsets[lane] - offset - (address.literal_base ? 0 : scalar_part), 32);
          break;
        case kBufferScalar:
          if (address.literal_base) {
            offsets[lane] = offset;
          } else {
            wave.s[9] = static_cast<std::uint32_t>((offsets[lane] - offset) * kLanes);
          }
          break;
        }
        if (!is_uniform) {
          wave.v[kAddress][lane] = static_cast<std::uint32_t>(value);
          wave.v[kAddress + 1][lane] = static_cast<std::uint32_t>(value >> 32);
        }
        if (is_atomic) {
          prepare_atomic(machine, places[lane], lane, offsets[lane], random);
        }
      }
      auto expected = std::make_unique<Wave>(wave);
      Image image(machine);
      if (machine.step(0) != Next::kOn) {
        ADD_FAILURE() << line << ": " << machine.report();
        return false;
      }
      Model model(machine, *expected, image);
      const unsigned row = address.kind >= kBuffer && form.kind == Kind::kAtomic ? kData : result;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if (((active >> lane) & 1) == 0) {
          continue;
        }
        switch (form.kind) {
        case Kind::kLoad:
          model.load(form, places[lane], lane, offsets[lane], row);
          break;
        case Kind::kStore:
          model.store(form, places[lane], lane, offsets[lane], kData);
          break;
        case Kind::kAtomic:
          model.change(form, places[lane], lane, offsets[lane],
                       model.value(kData, lane, form.bytes),
                       model.value(kData + form.bytes / 4, lane, form.bytes), returns ? row : 0);
          break;
        }
      }
      const bool same = image.is_of(machine) &&
                        std::memcmp(wave.v, expected->v, kRows * sizeof wave.v[0]) == 0 &&
                        std::memcmp(wave.s, expected->s, sizeof wave.s) == 0;
      EXPECT_TRUE(same) << line << ", round " << round << ": memory "
                        << (image.is_of(machine) ? "is the same" : "differs");
      if (!same) {
        return false;
      }
    }
    return true;
  }

  /// Edges in memory and data; for a comparison, what is equal half of the time.
  static void prepare_atomic(Machine& machine, Where place, unsigned lane, std::uint64_t offset,
                             std::mt19937_64& random) {
    const MemoryForm& form = GetParam();
    const std::string_view name = form.name;
    const OperandType type = name.ends_with("f32")   ? 'f'
                             : name.ends_with("f64") ? 'd'
                             : form.bytes == 8       ? 'U'
                                                     : 'u';
    std::byte* const bytes = place == Where::kGlobal ? machine.global().data() + offset
                             : place == Where::kShared
                                 ? machine.shared().data() + offset
                                 : machine.scratch().data() + offset / 4 * 4 * kLanes + lane * 4;
    const std::uint64_t old = any_value(type, random);
    std::memcpy(bytes, &old, form.bytes);
    const auto put = [&](unsigned row, std::uint64_t value) {
      machine.wave().v[row][lane] = static_cast<std::uint32_t>(value);
      if (form.bytes == 8) {
        machine.wave().v[row + 1][lane] = static_cast<std::uint32_t>(value >> 32);
      }
    };
    put(kData, any_value(type, random));
    if (form.compares) {
      put(kData + form.bytes / 4, random() % 2 == 0 ? old : any_value(type, random));
    }
  }
};

TEST_P(MemoryForms, DoWhatTheReferenceDoes) {
  using enum Address::Kind;
  static constexpr Address kAddresses[] = {
      {kFlat},
      {kFlat, 4095},
      {kFlat, 24},
      {kGlobal},
      {kGlobal, 4095},
      {kGlobal, -4096},
      {kGlobal, -8},
      {kGlobalScalar},
      {kGlobalScalar, 40},
      {kGlobalScalar, -40},
      {kScratch},
      {kScratch, 36},
      {kScratch, -20},
      {kScratchScalar},
      {kScratchScalar, 36},
      {kScratchScalar, -20},
      {kScratchBoth},
      {kScratchBoth, 36},
      {kScratchBoth, -20},
      {kBuffer},
      {kBuffer, 36},
      {kBuffer, 4000},
      {kBuffer, 16, true},
      {kBufferScalar},
      {kBufferScalar, 36},
      {kBufferScalar, 80, true},
      {kBufferScalar, 200, true},
  };
  const MemoryForm& form = GetParam();
  std::mt19937_64 random{1};
  unsigned count = 0;
  for (const char* const name : {"gfx906", "gfx900", "gfx90a", "gfx803", "gfx1100"}) {
    Machine machine(*find_processor(name));
    scramble(machine.wave(), random);
    fill(machine, random);
    for (const Address& address : kAddresses) {
      if (address.kind >= kBuffer && machine.processor().is_gfx11) {
        continue; // which has no private memory by buffers
      }
      if (address.kind >= kBuffer && form.kind == Kind::kAtomic && form.bytes == 8) {
        continue; // private memory, which buffers are, has no operations of two dwords at once
      }
      for (const unsigned result : {kResult, kAddress}) { // in place of the address
        for (const bool returns : {false, true}) {
          const bool has_result = form.kind == Kind::kLoad || returns;
          if ((returns && form.kind != Kind::kAtomic) || (result == kAddress && !has_result)) {
            continue;
          }
          const std::string line = text(machine.processor(), address, returns, result);
          const std::vector<Words> words = assemble(name, {line});
          if (!words[0].empty()) {
            machine.load(words[0]);
            ++count;
            if (!run(machine, line, address, returns, result, random)) {
              return;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(count, 4U);
}

INSTANTIATE_TEST_SUITE_P(All, MemoryForms, testing::ValuesIn(memory_forms()),
                         [](const testing::TestParamInfo<MemoryForm>& parameter) {
                           return std::string(parameter.param.name);
                         });

} // namespace
} // namespace gantry::simt::amdgcn
