// Accesses of all lanes at once: rows of them beside each other, anywhere, and to the very end of
// what may be accessed.
#include "../assembler.h"
#include "../machine.h"

#include <bit>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace gantry::simt::amdgcn {
namespace {

using testing::HasSubstr;

constexpr LaneMask kAll = ~LaneMask{0};
constexpr unsigned kAddress = 2, kData = 10, kBase = 4;

/// Memory of exactly so many bytes, behind which there is none.
class Exact {
public:
  explicit Exact(std::uint64_t size) : size_(size) {
    Allocation what;
    what.size = size;
    address_ = DeviceMemory::instance()->allocate(what).value();
    for (std::uint64_t i = 0; i < size; ++i) {
      bytes()[i] = static_cast<std::byte>(i * 7 + 3);
    }
  }
  ~Exact() { DeviceMemory::instance()->free(address_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;

  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::byte* bytes() const { return std::bit_cast<std::byte*>(address_); }
  [[nodiscard]] std::vector<std::byte> copy() const { return {bytes(), bytes() + size_}; }

private:
  std::uint64_t size_;
  std::uint64_t address_ = 0;
};

class MemoryRows : public testing::TestWithParam<unsigned> {
protected:
  MemoryRows() { wave_.set_pair(scalar::kExec, kAll); }

  static std::uint64_t bytes() { return GetParam(); }
  static unsigned dwords() { return std::max(1U, GetParam() / 4); }
  static std::string suffix(bool is_load) {
    switch (bytes()) {
    case 1:
      return is_load ? "ubyte" : "byte";
    case 2:
      return is_load ? "ushort" : "short";
    case 4:
      return "dword";
    default:
      return "dwordx" + std::to_string(bytes() / 4);
    }
  }
  static std::string data_text() {
    return dwords() == 1 ? "v10" : "v[10:" + std::to_string(9 + dwords()) + "]";
  }
  static std::string load_line() {
    return "global_load_" + suffix(true) + " " + data_text() + ", v[2:3], off";
  }
  static std::string store_line() {
    return "global_store_" + suffix(false) + " v[2:3], " + data_text() + ", off";
  }

  Next run(const std::string& line) {
    const std::vector<Words> words = assemble("gfx906", {line});
    EXPECT_FALSE(words[0].empty()) << line;
    machine_.load(words[0]);
    return machine_.step(0);
  }
  void set_address(unsigned lane, std::uint64_t address) {
    wave_.v[kAddress][lane] = static_cast<std::uint32_t>(address);
    wave_.v[kAddress + 1][lane] = static_cast<std::uint32_t>(address >> 32);
  }
  void set_row(std::uint64_t first) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      set_address(lane, first + lane * bytes());
    }
  }
  void set_data() {
    for (unsigned i = 0; i < dwords(); ++i) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        wave_.v[kData + i][lane] = 0x01020304 * (lane + 1) + i * 77;
      }
    }
  }
  /// A lane's bytes of the registers, as they are in memory.
  std::vector<std::byte> data_of(unsigned lane) const {
    std::vector<std::byte> made(std::size_t{4} * dwords());
    for (unsigned i = 0; i < dwords(); ++i) {
      std::memcpy(&made[std::size_t{4} * i], &wave_.v[kData + i][lane], 4);
    }
    made.resize(bytes());
    return made;
  }
  void expect_loaded(unsigned lane, const std::byte* from) const {
    EXPECT_EQ(data_of(lane), std::vector<std::byte>(from, from + bytes())) << "lane " << lane;
  }

  Machine machine_{*find_processor("gfx906")};
  Wave& wave_ = machine_.wave();
};

TEST_P(MemoryRows, AreLoadedToTheEnd) {
  const Exact memory(kLanes * bytes() + 8);
  for (const std::uint64_t from : {0, 4, 8, 1, 7}) { // not aligned as well
    set_row(memory.address() + from);
    ASSERT_EQ(run(load_line()), Next::kOn) << machine_.report();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      expect_loaded(lane, memory.bytes() + from + lane * bytes());
    }
  }
}

TEST_P(MemoryRows, AreStoredToTheEnd) {
  const Exact memory(kLanes * bytes() + 8);
  for (const std::uint64_t to : {0, 4, 8, 1, 7}) {
    std::vector<std::byte> expected = memory.copy();
    set_row(memory.address() + to);
    set_data();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::vector<std::byte> bytes_of_lane = data_of(lane);
      std::memcpy(&expected[to + lane * bytes()], bytes_of_lane.data(), bytes());
    }
    ASSERT_EQ(run(store_line()), Next::kOn) << machine_.report();
    EXPECT_EQ(memory.copy(), expected);
  }
}

TEST_P(MemoryRows, BeyondTheEndAreTheirLanesFault) {
  const Exact memory(kLanes * bytes());
  for (const bool is_load : {true, false}) {
    set_row(memory.address() + bytes());
    ASSERT_EQ(run(is_load ? load_line() : store_line()), Next::kFault);
    EXPECT_THAT(machine_.report(), HasSubstr("work-item (127,0,0)")); // of wave 1
    ASSERT_TRUE(wave_.fault);
    EXPECT_EQ(wave_.fault->address, memory.address() + kLanes * bytes());
    set_row(memory.address() - bytes());
    ASSERT_EQ(run(is_load ? load_line() : store_line()), Next::kFault);
    EXPECT_THAT(machine_.report(), HasSubstr("work-item (64,0,0)"));
  }
}

TEST_P(MemoryRows, OfInactiveLanesAreLeftAlone) {
  const Exact memory(kLanes * bytes());
  // Lanes 0 … 9, and 20, whose addresses are accessible: those of others are not.
  constexpr LaneMask kSome = 0x3ff | LaneMask{1} << 20;
  wave_.set_pair(scalar::kExec, kSome);
  set_row(memory.address() + (kLanes - 21) * bytes());
  set_data();
  std::vector<std::byte> expected = memory.copy();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (((kSome >> lane) & 1) != 0) {
      const std::vector<std::byte> bytes_of_lane = data_of(lane);
      std::memcpy(&expected[(kLanes - 21 + lane) * bytes()], bytes_of_lane.data(), bytes());
    }
  }
  ASSERT_EQ(run(store_line()), Next::kOn) << machine_.report();
  EXPECT_EQ(memory.copy(), expected);
  set_data();
  for (unsigned i = 0; i < dwords(); ++i) {
    wave_.v[kData + i][15] = 0x5a5a5a5a;
  }
  ASSERT_EQ(run(load_line()), Next::kOn) << machine_.report();
  for (unsigned i = 0; i < dwords(); ++i) {
    EXPECT_EQ(wave_.v[kData + i][15], 0x5a5a5a5aU);
  }
  expect_loaded(20, memory.bytes() + (kLanes - 1) * bytes());
}

TEST_P(MemoryRows, ReachToTheEndFromAnywhere) {
  const Exact memory(kLanes * bytes());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    set_address(lane, memory.address() + (lane * 37 + 63) % kLanes * bytes());
  }
  ASSERT_EQ(run(load_line()), Next::kOn) << machine_.report();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    expect_loaded(lane, memory.bytes() + (lane * 37 + 63) % kLanes * bytes());
  }
  set_address(33, memory.address() + kLanes * bytes());
  ASSERT_EQ(run(load_line()), Next::kFault);
  EXPECT_THAT(machine_.report(), HasSubstr("work-item (97,0,0)"));
}

TEST_P(MemoryRows, MayBeInSeveralAllocations) {
  const Exact first(512);
  const Exact second(512);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Exact& memory = lane % 3 == 0 ? second : first;
    set_address(lane, memory.address() + 512 - bytes());
  }
  for (int round = 0; round < 3; ++round) { // it knows one of them, then the other one
    ASSERT_EQ(run(load_line()), Next::kOn) << machine_.report();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      expect_loaded(lane, (lane % 3 == 0 ? second : first).bytes() + 512 - bytes());
    }
  }
}

TEST_P(MemoryRows, OfOneAddressInAllLanes) {
  const Exact memory(16);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    set_address(lane, memory.address() + 16 - bytes());
  }
  ASSERT_EQ(run(load_line()), Next::kOn) << machine_.report();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    expect_loaded(lane, memory.bytes() + 16 - bytes());
  }
}

TEST_P(MemoryRows, WithAScalarBaseDoNotWrapAround) {
  const Exact memory(kLanes * bytes());
  // The sum is one of 64 bits: lanes whose offset begins at 0 again are 4 GiB away.
  const std::uint64_t distance = 16 * bytes();
  wave_.set_pair(kBase, memory.address() + distance - (std::uint64_t{1} << 32));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave_.v[kAddress][lane] = static_cast<std::uint32_t>(lane * bytes() - distance);
  }
  const std::string line = "global_load_" + suffix(true) + " " + data_text() + ", v2, s[4:5]";
  ASSERT_EQ(run(line), Next::kFault);
  EXPECT_THAT(machine_.report(), HasSubstr("work-item (80,0,0)")); // lane 16
  wave_.set_pair(scalar::kExec, 0xffff);
  ASSERT_EQ(run(line), Next::kOn) << machine_.report();
  expect_loaded(3, memory.bytes() + 3 * bytes());
}

TEST_P(MemoryRows, OfSharedMemoryEndWhereItEnds) {
  const std::string widths[] = {"", "u8", "u16", "", "b32"};
  const std::string name = bytes() < 4 ? widths[bytes()] : "b" + std::to_string(8 * bytes());
  const std::string line = "ds_read_" + name + " " + data_text() + ", v2 offset:64";
  const std::byte* const shared = machine_.shared().data();
  for (std::size_t i = 0; i < Machine::kBytes; ++i) {
    machine_.shared()[i] = static_cast<std::byte>(i * 5 + i / 256);
  }
  const auto last = static_cast<std::uint32_t>(Machine::kBytes - kLanes * bytes());
  for (const std::uint32_t first : {last, 0U, 1024U}) { // the row's sum with 64; below 0 at first
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      wave_.v[kAddress][lane] = static_cast<std::uint32_t>(first + lane * bytes() - 64);
    }
    ASSERT_EQ(run(line), Next::kOn) << machine_.report();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      expect_loaded(lane, shared + first + lane * bytes());
    }
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    wave_.v[kAddress][lane] = static_cast<std::uint32_t>(last + (lane + 1) * bytes() - 64);
  }
  ASSERT_EQ(run(line), Next::kFault);
  EXPECT_THAT(machine_.report(), HasSubstr("work-item (127,0,0)"));
}

INSTANTIATE_TEST_SUITE_P(All, MemoryRows, testing::Values(1U, 2U, 4U, 8U, 12U, 16U),
                         testing::PrintToStringParamName());

} // namespace
} // namespace gantry::simt::amdgcn
