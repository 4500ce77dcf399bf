// Every access to memory, with every kind of address.
#include "memory_form.h"

#include "../../instructions/number.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>

namespace gantry::simt::amdgcn {
namespace {

using Kind = MemoryForm::Kind;

constexpr unsigned kAddress = 2, kSecondData = 28, kData = 24, kResult = 20; ///< VGPRs
constexpr unsigned kPair = 4;                                                ///< SGPRs
constexpr std::size_t kRows = 40;

enum class Place : std::uint8_t { kGlobal, kShared, kPrivate };

/// The bytes of all memory, as they are to become.
struct Image {
  explicit Image(const Machine& machine)
      : global(machine.global().begin(), machine.global().end()),
        shared(machine.shared().begin(), machine.shared().end()),
        scratch(machine.scratch().begin(), machine.scratch().end()) {}

  std::byte& at(Place place, unsigned lane, std::uint64_t offset) {
    switch (place) {
    case Place::kGlobal:
      return global.at(offset);
    case Place::kShared:
      return shared.at(offset);
    default: // dwords of all lanes beside each other
      return scratch.at(offset / 4 * 4 * kLanes + lane * 4 + offset % 4);
    }
  }
  std::uint64_t read(Place place, unsigned lane, std::uint64_t offset, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      value |= std::to_integer<std::uint64_t>(at(place, lane, offset + i)) << (8 * i);
    }
    return value;
  }
  void write(Place place, unsigned lane, std::uint64_t offset, unsigned bytes,
             std::uint64_t value) {
    for (unsigned i = 0; i < bytes; ++i) {
      at(place, lane, offset + i) = static_cast<std::byte>(value >> (8 * i));
    }
  }
  [[nodiscard]] bool is_of(const Machine& machine) const {
    return std::ranges::equal(global, machine.global()) &&
           std::ranges::equal(shared, machine.shared()) &&
           std::ranges::equal(scratch, machine.scratch());
  }

  std::vector<std::byte> global, shared, scratch;
};

void fill(Machine& machine, std::mt19937_64& random) {
  for (const auto bytes : {machine.global(), machine.shared(), machine.scratch()}) {
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(random());
    }
  }
}

/// Does what the form does in one lane, to registers and memory.
class Model {
public:
  Model(Machine& machine, Wave& expected, Image& image)
      : machine_(machine), expected_(expected), image_(image) {}

  void load(const MemoryForm& form, Place place, unsigned lane, std::uint64_t offset,
            unsigned row) {
    if (form.bytes < 4) {
      std::uint64_t value = image_.read(place, lane, offset, form.bytes);
      const std::uint64_t sign = std::uint64_t{1} << (8 * form.bytes - 1);
      if (form.is_signed && (value & sign) != 0) {
        value |= ~(2 * sign - 1);
      }
      std::uint32_t& kept = expected_.v[row][lane];
      kept = form.half < 0    ? static_cast<std::uint32_t>(value)
             : form.half == 0 ? (kept & 0xffff0000) | static_cast<std::uint16_t>(value)
                              : (kept & 0xffff) | static_cast<std::uint32_t>(value) << 16;
      return;
    }
    for (unsigned i = 0; i < form.bytes / 4; ++i) {
      expected_.v[row + i][lane] =
          static_cast<std::uint32_t>(image_.read(place, lane, offset + 4 * i, 4));
    }
  }
  void store(const MemoryForm& form, Place place, unsigned lane, std::uint64_t offset,
             unsigned row) {
    if (form.bytes < 4) {
      image_.write(place, lane, offset, form.bytes,
                   expected_.v[row][lane] >> (form.half == 1 ? 16 : 0));
      return;
    }
    for (unsigned i = 0; i < form.bytes / 4; ++i) {
      image_.write(place, lane, offset + 4 * i, 4, expected_.v[row + i][lane]);
    }
  }
  std::uint64_t value(unsigned row, unsigned lane, unsigned bytes) const {
    return expected_.v[row][lane] |
           (bytes == 8 ? std::uint64_t{expected_.v[row + 1][lane]} << 32 : 0);
  }
  /// `result` is 0 if the old value is not wanted.
  void change(const MemoryForm& form, Place place, unsigned lane, std::uint64_t offset,
              std::uint64_t data, std::uint64_t compared, unsigned result) {
    const std::uint64_t old = image_.read(place, lane, offset, form.bytes);
    std::uint64_t made = low_bits(form.changed(old, data, compared), 8 * form.bytes);
    const instructions::Format format =
        form.bytes == 8 ? instructions::kDouble : instructions::kSingle;
    if (form.is_floating && format.is_nan(made)) { // whichever
      made = Image(machine_).read(place, lane, offset, form.bytes);
      EXPECT_TRUE(format.is_nan(made));
    }
    image_.write(place, lane, offset, form.bytes, made);
    if (result != 0) {
      expected_.v[result][lane] = static_cast<std::uint32_t>(old);
      if (form.bytes == 8) {
        expected_.v[result + 1][lane] = static_cast<std::uint32_t>(old >> 32);
      }
    }
  }

private:
  Machine& machine_;
  Wave& expected_;
  Image& image_;
};

LaneMask mask_of(unsigned round, std::mt19937_64& random) {
  switch (round % 4) {
  case 0:
    return ~LaneMask{0};
  case 1:
    return LaneMask{1} << (random() % kLanes);
  case 2:
    return random();
  default:
    return 0;
  }
}

/// An address as it is written, and what kind it is.
struct Address {
  enum class Kind : std::uint8_t {
    kFlat,
    kGlobal,
    kGlobalScalar,
    kScratch,
    kScratchScalar,
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

  static std::string text(const Address& address, bool returns, unsigned result) {
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
    name += form.name;
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
      // Each lane has 64 bytes of its own.
      unsigned slots[kLanes];
      std::iota(std::begin(slots), std::end(slots), 0U);
      std::shuffle(std::begin(slots), std::end(slots), random);
      Place places[kLanes];
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
        places[lane] = address.kind == kFlat ? static_cast<Place>(random() % 3)
                       : address.kind == kGlobal || address.kind == kGlobalScalar ? Place::kGlobal
                                                                                  : Place::kPrivate;
        const bool is_atomic = form.kind == Kind::kAtomic;
        if (is_atomic && places[lane] == Place::kPrivate && address.kind == kFlat) {
          places[lane] = Place::kShared;
        }
        const std::uint64_t inside = is_atomic ? random() % 5 * 8 : random() % 45;
        offsets[lane] = places[lane] == Place::kPrivate ? 64 + random() % 5 * 64 + inside
                                                        : 4096 + slots[lane] * 64 + inside;
        if (is_uniform) {
          offsets[lane] = is_atomic ? uniform / 8 * 8 : uniform;
        }
        const auto offset = static_cast<std::uint64_t>(address.offset);
        std::uint64_t value = 0;
        switch (address.kind) {
        case kFlat:
          value = (places[lane] == Place::kGlobal   ? global
                   : places[lane] == Place::kShared ? kSharedAperture
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
        if (((exec >> lane) & 1) == 0) {
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
  static void prepare_atomic(Machine& machine, Place place, unsigned lane, std::uint64_t offset,
                             std::mt19937_64& random) {
    const MemoryForm& form = GetParam();
    const std::string_view name = form.name;
    const OperandType type = name.ends_with("f32")   ? 'f'
                             : name.ends_with("f64") ? 'd'
                             : form.bytes == 8       ? 'U'
                                                     : 'u';
    std::byte* const bytes = place == Place::kGlobal ? machine.global().data() + offset
                             : place == Place::kShared
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
  for (const char* const name : {"gfx906", "gfx900", "gfx90a", "gfx803"}) {
    Machine machine(*find_processor(name));
    scramble(machine.wave(), random);
    fill(machine, random);
    for (const Address& address : kAddresses) {
      if (address.kind >= kBuffer && form.kind == Kind::kAtomic && form.bytes == 8) {
        continue; // private memory, which buffers are, has no operations of two dwords at once
      }
      for (const unsigned result : {kResult, kAddress}) { // in place of the address
        for (const bool returns : {false, true}) {
          const bool has_result = form.kind == Kind::kLoad || returns;
          if ((returns && form.kind != Kind::kAtomic) || (result == kAddress && !has_result)) {
            continue;
          }
          const std::string line = text(address, returns, result);
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
  for (const char* const processor : {"gfx906", "gfx90a", "gfx803"}) {
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
        std::string line = fmt::format("{} ", name);
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
                wave.v[kSecondData + i][lane] = static_cast<std::uint32_t>(data >> (32 * i));
              }
            }
          }
          auto expected = std::make_unique<Wave>(wave);
          Image image(machine);
          ASSERT_EQ(machine.step(0), Next::kOn) << line << ": " << machine.report();
          Model model(machine, *expected, image);
          for (unsigned lane = 0; lane < kLanes; ++lane) {
            if (((exec >> lane) & 1) == 0) {
              continue;
            }
            for (unsigned part = 0; part < (form.unit != 0 ? 2U : 1U); ++part) {
              const std::uint32_t offset =
                  form.unit != 0 ? (part == 0 ? first : second) * form.unit : first;
              const auto place = static_cast<std::uint32_t>(places[lane] + offset);
              if (is_load) {
                model.load(access, Place::kShared, lane, place, result + part * dwords);
              } else if (!is_atomic) {
                model.store(access, Place::kShared, lane, place, part == 0 ? kData : kSecondData);
              } else {
                const std::uint64_t one = model.value(kData, lane, access.bytes);
                const std::uint64_t two = model.value(kSecondData, lane, access.bytes);
                model.change(access, Place::kShared, lane, place, form.compare_first ? two : one,
                             one, form.returns ? result : 0);
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

class ScalarLoads : public testing::TestWithParam<unsigned> {};

TEST_P(ScalarLoads, FillRegisters) {
  const unsigned dwords = GetParam();
  std::mt19937_64 random{1};
  for (const char* const processor : {"gfx906", "gfx803", "gfx90a"}) {
    Machine machine(*find_processor(processor));
    Wave& wave = machine.wave();
    scramble(wave, random);
    fill(machine, random);
    const bool is_gfx8 = machine.processor().is_gfx8;
    const std::string name = dwords == 1 ? "s_load_dword" : fmt::format("s_load_dwordx{}", dwords);
    unsigned count = 0;
    for (const char* const operands :
         {"s[4:5], 0x0", "s[4:5], 0x44", "s[4:5], 0xffffc", "s[4:5], s6", "s[4:5], m0",
          "s[4:5], s6 offset:0x80", "s[4:5], -0x20", "vcc, 0x10", "s[20:21], 0x8"}) {
      const std::string line = fmt::format("{} {}, {}", name, registers('s', 20, dwords), operands);
      const std::vector<Words> words = assemble(processor, {line});
      if (words[0].empty()) {
        continue;
      }
      ++count;
      machine.load(words[0]);
      const std::string_view text = operands;
      const std::size_t number = text.find("0x");
      std::int64_t offset = number == std::string_view::npos
                                ? 0
                                : std::stoll(std::string(text.substr(number + 2)), nullptr, 16);
      if (number != std::string_view::npos && text[number - 1] == '-') {
        offset = -offset;
      }
      const std::size_t place = 512 + 4 * (random() % 1000);
      const std::uint64_t address =
          reinterpret_cast<std::uint64_t>(machine.global().data()) + place;
      std::uint64_t base = address - static_cast<std::uint64_t>(offset);
      const auto with_register = static_cast<std::uint32_t>(random() % 4096 * 4);
      wave.s[6] = wave.s[scalar::kM0] = with_register;
      if (text.find("s6") != std::string_view::npos || text.find("m0") != std::string_view::npos) {
        base -= with_register;
      }
      const unsigned pair = text[0] == 'v' ? scalar::kVcc : text[2] == '4' ? 4 : 20;
      wave.set_pair(pair, base);
      auto expected = std::make_unique<Wave>(wave);
      ASSERT_EQ(machine.step(0), Next::kOn) << line << ": " << machine.report();
      std::memcpy(&expected->s[20], machine.global().data() + place, std::size_t{4} * dwords);
      EXPECT_EQ(std::memcmp(wave.s, expected->s, sizeof wave.s), 0) << processor << ": " << line;
      EXPECT_EQ(std::memcmp(wave.v, expected->v, sizeof wave.v), 0) << processor << ": " << line;
    }
    EXPECT_GE(count, is_gfx8 ? 6U : 8U) << processor;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScalarLoads, testing::Values(1, 2, 4, 8, 16));

} // namespace
} // namespace gantry::simt::amdgcn
