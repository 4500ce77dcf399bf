#include "runtime/core/data/extent_index.h"

#include "runtime/core/data/mapping_table.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::core {
namespace {

/// An index beside a std::map of the same extents, and questions put to both.
struct Model {
  ExtentIndex index;
  struct Extent {
    std::uintptr_t end;
    Mapping* mapping;
  };
  std::map<std::uintptr_t, Extent> extents;
  std::vector<Mapping> pool;
  std::size_t used = 0;

  explicit Model(std::size_t capacity) : pool(capacity) {}

  void insert(std::uintptr_t begin, std::uintptr_t end) {
    Mapping& mapping = pool[used++];
    index.insert(begin, end, mapping);
    extents[begin] = {end, &mapping};
  }
  void erase(std::uintptr_t begin) {
    index.erase(begin);
    extents.erase(begin);
  }
  void compare(std::uintptr_t address) const {
    const auto next = extents.upper_bound(address);
    const Mapping* holding = nullptr;
    if (next != extents.begin() && address < std::prev(next)->second.end) {
      holding = std::prev(next)->second.mapping;
    }
    const ExtentIndex::Place place = index.find(address);
    EXPECT_EQ(place.holding.mapping, holding) << address;
    EXPECT_EQ(place.next_begin, next == extents.end() ? ExtentIndex::kNone : next->first)
        << address;
    EXPECT_EQ(place.next, next == extents.end() ? nullptr : next->second.mapping) << address;
  }
  void compare_everywhere() const {
    for (const auto& [begin, extent] : extents) {
      for (const std::uintptr_t address : {begin - 1, begin, extent.end - 1, extent.end}) {
        compare(address);
      }
    }
    compare(0);
    compare(~std::uintptr_t{0});
    EXPECT_EQ(index.size(), extents.size());
    EXPECT_STREQ(index.broken_invariant(), nullptr);
    std::vector<const Mapping*> visited;
    index.for_each([&](const Mapping& mapping) { visited.push_back(&mapping); });
    ASSERT_EQ(visited.size(), extents.size());
    auto expected = extents.begin();
    for (const Mapping* mapping : visited) {
      EXPECT_EQ(mapping, expected->second.mapping);
      ++expected;
    }
  }
};

TEST(ExtentIndex, IsEmptyAtFirst) {
  Model(0).compare_everywhere();
}

TEST(ExtentIndex, HoldsExtentsInAscendingOrder) {
  Model model(2000);
  for (std::uintptr_t i = 1; i <= 2000; ++i) {
    model.insert(i * 64, i * 64 + 32);
  }
  model.compare_everywhere();
}

TEST(ExtentIndex, HoldsExtentsInDescendingOrder) {
  Model model(2000);
  for (std::uintptr_t i = 2000; i >= 1; --i) {
    model.insert(i * 64, i * 64 + 64); // without a gap
  }
  model.compare_everywhere();
}

TEST(ExtentIndex, LosesExtentsFromEitherEnd) {
  Model model(2000);
  for (std::uintptr_t i = 1; i <= 2000; ++i) {
    model.insert(i * 64, i * 64 + 32);
  }
  for (std::uintptr_t i = 1; i <= 900; ++i) {
    model.erase(i * 64);
    model.erase((2001 - i) * 64);
  }
  model.compare_everywhere();
  while (!model.extents.empty()) {
    model.erase(model.extents.begin()->first);
  }
  model.compare_everywhere();
}

TEST(ExtentIndex, AgreesWithAMapWhateverComesAndGoes) {
  std::mt19937 random(1); // NOLINT(bugprone-random-generator-seed): the same numbers every time
  for (const std::uint32_t range : {40u, 400u, 4000u}) {
    Model model(20000);
    for (int step = 0; step < 20000; ++step) {
      // Growing and shrinking in turns, through every size of leaf.
      const bool grows = step / 2000 % 2 == 0;
      const std::uintptr_t begin = (random() % range + 1) * 16;
      const bool there = model.extents.contains(begin);
      if (!there && (grows || random() % 4 == 0)) {
        model.insert(begin, begin + 1 + random() % 16);
      } else if (there && (!grows || random() % 4 == 0)) {
        model.erase(begin);
      }
      model.compare(random() % (range * 16 + 32));
    }
    model.compare_everywhere();
  }
}

TEST(ExtentIndex, FindsAnExtentOverWhatWasTheBeginOfALeaf) {
  // Two neighbours go and one extent over both comes, for every pair of neighbours.
  constexpr std::uintptr_t kSize = 0x1000;
  for (std::uintptr_t gone = 1; gone < 400; ++gone) {
    Model model(401);
    for (std::uintptr_t i = 1; i <= 400; ++i) {
      model.insert(i * kSize, (i + 1) * kSize);
    }
    model.erase((gone + 1) * kSize);
    model.erase(gone * kSize);
    model.insert(gone * kSize, (gone + 2) * kSize);
    model.compare((gone + 1) * kSize);
    ASSERT_STREQ(model.index.broken_invariant(), nullptr) << gone;
  }
}

TEST(ExtentIndex, AgreesWithAMapWhenExtentsSpanTheBeginsOfFormerOnes) {
  std::mt19937 random(2); // NOLINT(bugprone-random-generator-seed): the same numbers every time
  for (const std::uint32_t range : {300u, 3000u}) {
    Model model(40000);
    for (int step = 0; step < 40000; ++step) {
      const bool grows = step / 4000 % 2 == 0;
      const std::uintptr_t begin = random() % range + 1;
      const auto next = model.extents.lower_bound(begin);
      const bool is_free = next == model.extents.begin() || std::prev(next)->second.end <= begin;
      if (is_free && (grows || random() % 4 == 0)) {
        const std::uintptr_t room = (next == model.extents.end() ? begin + 8 : next->first) - begin;
        if (room > 0) {
          model.insert(begin, begin + std::min<std::uintptr_t>(room, 1 + random() % 8));
        }
      } else if (next != model.extents.end() && (!grows || random() % 4 == 0)) {
        model.erase(next->first);
      }
      model.compare(random() % (range + 16));
    }
    model.compare_everywhere();
  }
}

} // namespace
} // namespace gantry::core
