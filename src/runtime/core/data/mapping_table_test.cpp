#include "runtime/core/data/mapping_table.h"

#include <vector>

#include <gtest/gtest.h>

namespace gantry::core {
namespace {

TEST(MappingTable, FindsNothingWhenEmpty) {
  MappingTable table;
  EXPECT_EQ(table.find(0x1000, 8).presence, Presence::kAbsent);
  EXPECT_EQ(table.find(0x1000, 0).presence, Presence::kAbsent);
  EXPECT_EQ(table.size(), 0u);
}

TEST(MappingTable, TellsPresentFromPartialAndAbsent) {
  MappingTable table;
  Mapping& mapping = table.insert(0x1000, 0x100);
  const struct {
    std::uintptr_t begin;
    std::uint64_t size;
    Presence presence;
  } cases[] = {
      {0x1000, 0x100, Presence::kPresent}, // all of it
      {0x1000, 1, Presence::kPresent},     // its first byte
      {0x10ff, 1, Presence::kPresent},     // its last byte
      {0x1000, 0x101, Presence::kPartial}, // one byte past its end
      {0x10ff, 2, Presence::kPartial},     // from its last byte on
      {0xfff, 2, Presence::kPartial},      // one byte before its start
      {0xfff, 0x102, Presence::kPartial},  // around it
      {0xf00, 0x100, Presence::kAbsent},   // up to its start
      {0x1100, 0x100, Presence::kAbsent},  // from its end on
      {0, ~std::uint64_t{0}, Presence::kPartial},
      {0x1000, ~std::uint64_t{0}, Presence::kPartial}, // whose end would wrap around
      {0x1100, ~std::uint64_t{0}, Presence::kAbsent},
  };
  for (const auto& [begin, size, presence] : cases) {
    const Lookup lookup = table.find(begin, size);
    EXPECT_EQ(lookup.presence, presence) << std::hex << begin << " + " << size;
    EXPECT_EQ(lookup.mapping, presence == Presence::kAbsent ? nullptr : &mapping);
  }
}

TEST(MappingTable, FindsTheFirstOfSeveralOverlapped) {
  MappingTable table;
  Mapping& first = table.insert(0x1000, 0x10);
  Mapping& second = table.insert(0x2000, 0x10);
  EXPECT_EQ(table.find(0x800, 0x2000).mapping, &first);
  EXPECT_EQ(table.find(0x1010, 0x2000).mapping, &second);
  EXPECT_EQ(table.find(0x1008, 0x2000).mapping, &first);
}

TEST(MappingTable, ZeroSizeAsksForTheAddress) {
  MappingTable table;
  Mapping& mapping = table.insert(0x1000, 0x100);
  EXPECT_EQ(table.find(0x1000, 0).mapping, &mapping);
  EXPECT_EQ(table.find(0x10ff, 0).mapping, &mapping);
  EXPECT_EQ(table.find(0x1100, 0).presence, Presence::kAbsent);
  EXPECT_EQ(table.find(0xfff, 0).presence, Presence::kAbsent);
}

TEST(MappingTable, ZeroSizeFindsAnArrayBeforeItsMappedPart) {
  MappingTable table;
  Mapping& mapping = table.insert(0x1000, 0x100);
  mapping.host_base = 0xc00;
  EXPECT_EQ(table.find(0xc00, 0).mapping, &mapping);
  EXPECT_EQ(table.find(0xfff, 0).presence, Presence::kPresent);
  EXPECT_EQ(table.find(0xbff, 0).presence, Presence::kAbsent);
  EXPECT_EQ(table.find(0xc00, 8).presence, Presence::kAbsent) << "its bytes are not present";
}

TEST(MappingTable, TranslatesAddressesOnEitherSideOfTheStart) {
  MappingTable table;
  Mapping& mapping = table.insert(0x1000, 0x100);
  mapping.device_begin = 0x9000;
  EXPECT_EQ(mapping.device_address(0x1008), 0x9008u);
  EXPECT_EQ(mapping.device_address(0xff8), 0x8ff8u);
  EXPECT_FALSE(mapping.shared());
}

TEST(MappingTable, ReusesNodesWithoutTheirPast) {
  MappingTable table;
  Mapping& first = table.insert(0x1000, 0x100);
  first.references = 7;
  first.holds = 3;
  first.name = "old";
  first.attached.push_back({0x1000, 8, 0x2000, 0x3000});
  table.erase(first);
  EXPECT_EQ(table.size(), 0u);
  Mapping& again = table.insert(0x5000, 0x10);
  EXPECT_EQ(&again, &first) << "the node is not reused";
  EXPECT_EQ(again.host_begin, 0x5000u);
  EXPECT_EQ(again.host_end, 0x5010u);
  EXPECT_EQ(again.host_base, 0x5000u);
  EXPECT_FALSE(again.referenced());
  EXPECT_EQ(again.name, nullptr);
  EXPECT_TRUE(again.attached.empty());
  EXPECT_EQ(table.find(0x1000, 1).presence, Presence::kAbsent);
}

TEST(MappingTable, KeepsEntriesInPlaceWhileOthersComeAndGo) {
  MappingTable table;
  std::vector<Mapping*> kept;
  for (std::uintptr_t i = 1; i <= 1000; ++i) {
    Mapping& mapping = table.insert(i * 0x100, 0x80);
    if (i % 2 == 0) {
      kept.push_back(&mapping);
    }
  }
  for (std::uintptr_t i = 1; i <= 1000; i += 2) {
    table.erase(*table.find(i * 0x100, 1).mapping);
  }
  EXPECT_EQ(table.size(), 500u);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(table.find((i + 1) * 0x200, 0x80).mapping, kept[i]);
  }
}

TEST(MappingTable, InternsTheStringsOfAModuleThatGoes) {
  MappingTable table;
  std::vector<char> module = {'x', 'y', '\0'};
  static constexpr char kOther[] = "z";
  const auto begin = reinterpret_cast<std::uintptr_t>(module.data());
  Mapping& ours = table.insert(0x1000, 8);
  ours.name = module.data();
  ours.mapped_at = module.data() + 1;
  Mapping& others = table.insert(0x2000, 8);
  others.name = kOther;
  table.intern_strings(begin, begin + module.size());
  module.assign(module.size(), '!');
  EXPECT_STREQ(ours.name, "xy");
  EXPECT_STREQ(ours.mapped_at, "y");
  EXPECT_EQ(others.name, kOther);
  EXPECT_EQ(others.mapped_at, nullptr);
}

TEST(MappingTable, VisitsInOrderOfAddress) {
  MappingTable table;
  for (const std::uintptr_t begin : {0x3000, 0x1000, 0x2000}) {
    table.insert(begin, 1);
  }
  std::vector<std::uintptr_t> order;
  table.for_each([&](const Mapping& mapping) { order.push_back(mapping.host_begin); });
  EXPECT_EQ(order, (std::vector<std::uintptr_t>{0x1000, 0x2000, 0x3000}));
}

} // namespace
} // namespace gantry::core
