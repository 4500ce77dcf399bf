#include "runtime/core/constructs/rectangle.h"

#include "runtime/testing/fake_plugin.h"

#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::core {
namespace {

using testing::FakePlugin;
using ::testing::HasSubstr;
using Values = std::vector<std::size_t>;

constexpr std::size_t kHuge = ~std::size_t{0};

struct Rectangles : ::testing::Test {
  Rectangles() {
    for (std::size_t i = 0; i < source.size(); ++i) {
      source[i] = static_cast<int>(i);
    }
  }

  struct Arguments {
    Values volume, to_offsets, from_offsets, to_extents, from_extents;
    std::size_t element_size = sizeof(int);
  };

  Status copy(const Arguments& a) {
    const Memory to{nullptr, reinterpret_cast<std::byte*>(target.data())};
    const Memory from{nullptr, reinterpret_cast<std::byte*>(source.data())};
    auto made = RectangleCopy::make(a.element_size, static_cast<int>(a.volume.size()),
                                    a.volume.data(), {to, a.to_offsets.data(), a.to_extents.data()},
                                    {from, a.from_offsets.data(), a.from_extents.data()});
    return made ? made->perform({"test"}) : tl::unexpected(made.error());
  }
  std::string refusal(const Arguments& a) {
    const Status status = copy(a);
    return status ? std::string() : status.error().message;
  }

  std::array<int, 120> source;
  std::array<int, 120> target{};
};

TEST_F(Rectangles, OfThreeDimensions) {
  // From a 4 by 5 by 6 array into a 3 by 4 by 4 one.
  ASSERT_TRUE(copy({{2, 3, 2}, {1, 0, 2}, {2, 1, 3}, {3, 4, 4}, {4, 5, 6}}));
  int copied = 0;
  for (int i = 0; i < 48; ++i) {
    const int plane = i / 16 - 1;
    const int row = i / 4 % 4;
    const int column = i % 4 - 2;
    const bool inside = plane >= 0 && row < 3 && column >= 0;
    const int expected = inside ? ((plane + 2) * 5 + row + 1) * 6 + column + 3 : 0;
    ASSERT_EQ(target[i], expected) << i;
    copied += inside ? 1 : 0;
  }
  EXPECT_EQ(copied, 12);
}

TEST_F(Rectangles, OfOneDimension) {
  ASSERT_TRUE(copy({{5}, {3}, {10}, {8}, {120}}));
  EXPECT_THAT(std::vector<int>(target.begin(), target.begin() + 9),
              ::testing::ElementsAre(0, 0, 0, 10, 11, 12, 13, 14, 0));
}

TEST_F(Rectangles, OfManyDimensions) {
  const std::size_t dimensions = 40;
  Values ones(dimensions, 1);
  Values zeros(dimensions, 0);
  ones.front() = 3;
  ones.back() = 4;
  ASSERT_TRUE(copy({ones, zeros, zeros, ones, ones}));
  EXPECT_EQ(target[11], 11);
  EXPECT_EQ(target[12], 0);
}

TEST_F(Rectangles, WithoutElementsCopyNothing) {
  ASSERT_TRUE(copy({{3, 0}, {0, 0}, {0, 0}, {3, 4}, {3, 4}}));
  EXPECT_EQ(target[1], 0);
}

TEST_F(Rectangles, WholeRowsAreOneTransfer) {
  FakePlugin plugin;
  Device device(plugin.open(), "");
  const Memory block{&device,
                     static_cast<std::byte*>(allocate(&device, 480, MemoryKind::kDevice).value())};
  const Memory host{nullptr, reinterpret_cast<std::byte*>(source.data())};
  const auto transfers = [&](Values volume, Values to_extents) {
    const Values zeros(volume.size(), 0);
    const int before = plugin.counts.submits;
    const std::size_t from_extents[] = {4, 5, 6};
    const auto made =
        RectangleCopy::make(4, 3, volume.data(), {block, zeros.data(), to_extents.data()},
                            {host, zeros.data(), from_extents});
    EXPECT_TRUE(made && made->perform({"test"}));
    return plugin.counts.submits - before;
  };
  EXPECT_EQ(transfers({4, 5, 6}, {4, 5, 6}), 1);
  EXPECT_EQ(transfers({3, 5, 6}, {3, 5, 6}), 1);
  EXPECT_EQ(transfers({4, 3, 6}, {4, 5, 6}), 4);
  EXPECT_EQ(transfers({3, 5, 6}, {3, 6, 6}), 3);
  EXPECT_EQ(transfers({4, 5, 5}, {4, 5, 6}), 20);
  EXPECT_TRUE(release(block, MemoryKind::kDevice));
}

TEST_F(Rectangles, StayInsideBothArrays) {
  EXPECT_THAT(
      refusal({{3, 4}, {0, 1}, {0, 0}, {3, 4}, {3, 4}}),
      HasSubstr("dimension 1: 4 elements from offset 1 reach past the 4 elements of 'dst'"));
  EXPECT_THAT(
      refusal({{3, 4}, {0, 0}, {1, 0}, {3, 4}, {3, 4}}),
      HasSubstr("dimension 0: 3 elements from offset 1 reach past the 3 elements of 'src'"));
  EXPECT_NE(refusal({{1}, {kHuge}, {0}, {4}, {4}}), "");
  EXPECT_NE(refusal({{kHuge}, {1}, {0}, {kHuge}, {kHuge}}), "");
}

TEST_F(Rectangles, OfSizesThatOverflow) {
  EXPECT_THAT(refusal({{1, 1}, {0, 0}, {0, 0}, {4, kHuge / 2}, {1, 1}}),
              HasSubstr("the size of 'dst' in bytes overflows in dimension 1"));
  EXPECT_THAT(refusal({{1, 1}, {0, 0}, {0, 0}, {1, 1}, {kHuge / 8, 8}}),
              HasSubstr("the size of 'src' in bytes overflows in dimension 0"));
  EXPECT_THAT(refusal({{1}, {0}, {0}, {2}, {1}, kHuge}), HasSubstr("overflows"));
}

TEST_F(Rectangles, OfInvalidArguments) {
  EXPECT_THAT(refusal({{1}, {0}, {0}, {1}, {1}, 0}), HasSubstr("'element_size' is 0"));
  EXPECT_THAT(refusal({{}, {}, {}, {}, {}}), HasSubstr("'num_dims' is 0"));
  const std::size_t one = 1;
  const std::size_t zero = 0;
  const Memory memory{nullptr, reinterpret_cast<std::byte*>(source.data())};
  const auto refused = [&](const std::size_t* volume, const RectangleCopy::Array& to,
                           const RectangleCopy::Array& from) {
    const auto made = RectangleCopy::make(1, 1, volume, to, from);
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(refused(&one, {memory, &zero, &one}, {memory, &zero, &one}), "");
  EXPECT_THAT(refused(nullptr, {memory, &zero, &one}, {memory, &zero, &one}),
              HasSubstr("'volume'"));
  EXPECT_THAT(refused(&one, {memory, nullptr, &one}, {memory, &zero, &one}),
              HasSubstr("'dst_offsets' or 'dst_dimensions' is null"));
  EXPECT_THAT(refused(&one, {memory, &zero, &one}, {memory, &zero, nullptr}),
              HasSubstr("'src_offsets' or 'src_dimensions' is null"));
  EXPECT_THAT(refused(&one, {{}, &zero, &one}, {memory, &zero, &one}),
              HasSubstr("'dst' is a null pointer"));
}

TEST_F(Rectangles, StayInsideAllocations) {
  FakePlugin plugin;
  Device device(plugin.open(), "");
  const Memory block{&device,
                     static_cast<std::byte*>(allocate(&device, 64, MemoryKind::kDevice).value())};
  const Memory host{nullptr, reinterpret_cast<std::byte*>(source.data())};
  const std::size_t zeros[] = {0, 0};
  const std::size_t extents[] = {5, 4};
  for (const std::size_t rows : {4, 5}) {
    const std::size_t volume[] = {rows, 4};
    const auto made =
        RectangleCopy::make(4, 2, volume, {block, zeros, extents}, {host, zeros, extents});
    EXPECT_EQ(bool(made), rows == 4) << "only what is copied has to be there";
  }
  EXPECT_TRUE(release(block, MemoryKind::kDevice));
}

} // namespace
} // namespace gantry::core
