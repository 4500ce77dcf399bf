#include "runtime/core/constructs/queued_copies.h"

#include "runtime/core/constructs/rectangle.h"
#include "runtime/testing/fake_plugin.h"

#include <array>
#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>

namespace gantry::core {
namespace {

using testing::FakePlugin;
using ::testing::HasSubstr;

struct QueuedCopiesOf : ::testing::Test {
  Memory on_device(Device& of, std::uint64_t size) {
    blocks.push_back(
        {&of, static_cast<std::byte*>(allocate(&of, size, MemoryKind::kDevice).value())});
    return blocks.back();
  }
  template <typename T>
  static Memory on_host(std::vector<T>& values) {
    return {nullptr, reinterpret_cast<std::byte*>(values.data())};
  }
  void TearDown() override {
    for (const Memory& block : blocks) {
      EXPECT_TRUE(release(block, MemoryKind::kDevice));
    }
  }

  FakePlugin plugin{testing::Memory::kSeparate, true};
  Device device{plugin.open(), ""};
  Device other{plugin.open(1), ""};
  const Construct routine{"test"};
  std::vector<Memory> blocks;
};

TEST_F(QueuedCopiesOf, HostAndDeviceAreMadeWhenTheyAreWaitedFor) {
  std::vector<int> values = {1, 2, 3};
  std::vector<int> back(3);
  const Memory block = on_device(device, 12);
  const Copy there{block, on_host(values), 0, 0, 12};
  const Copy here{on_host(back), block, 0, 0, 12};
  ASSERT_TRUE(QueuedCopies::takes(there) && QueuedCopies::takes(here));
  QueuedCopies in(there, routine);
  ASSERT_TRUE(in.put(there));
  EXPECT_EQ(plugin.counts.submits, 0);
  ASSERT_TRUE(in.wait());
  EXPECT_EQ(plugin.counts.submits, 1);
  QueuedCopies out(here, routine);
  ASSERT_TRUE(out.put(here));
  EXPECT_EQ(back[0], 0);
  for (int i = 0; !out.done(); ++i) {
    ASSERT_LT(i, 10);
  }
  ASSERT_TRUE(out.wait());
  EXPECT_EQ(back, values);
}

TEST_F(QueuedCopiesOf, OtherPlacesAreNotTaken) {
  std::vector<int> values(4);
  const Memory host = on_host(values);
  const Memory block = on_device(device, 16);
  EXPECT_FALSE(QueuedCopies::takes({host, host, 0, 8, 8}));
  EXPECT_FALSE(QueuedCopies::takes({block, host, 0, 0, 0}));
  // This plugin's devices have no way to each other.
  EXPECT_FALSE(QueuedCopies::takes({on_device(other, 16), block, 0, 0, 16}));
}

TEST_F(QueuedCopiesOf, AFailureNamesTheDevice) {
  std::vector<int> values(4);
  const Memory block = on_device(device, 16);
  const Copy copy{on_host(values), block, 0, 0, 16};
  QueuedCopies copies(copy, routine);
  ASSERT_TRUE(copies.put(copy));
  plugin.fail_call(1);
  const Status status = copies.wait();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr(device.label()));
}

/// Against a model: rectangles of random shapes, to a device and from it.
TEST_F(QueuedCopiesOf, RectanglesAreThoseOfTheModel) {
  std::mt19937 random(1); // NOLINT(bugprone-random-generator-seed): the same shapes every time
  const auto below = [&](std::size_t end) { return random() % end; };
  for (int round = 0; round < 300; ++round) {
    const std::size_t dimensions = 1 + below(4);
    struct Shape {
      std::vector<std::size_t> offsets, extents;
      [[nodiscard]] std::size_t elements() const {
        return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies());
      }
      [[nodiscard]] std::size_t place(const std::vector<std::size_t>& index) const {
        std::size_t at = 0;
        for (std::size_t d = 0; d < extents.size(); ++d) {
          at = at * extents[d] + offsets[d] + index[d];
        }
        return at;
      }
    };
    Shape to;
    Shape from;
    std::vector<std::size_t> volume;
    for (std::size_t d = 0; d < dimensions; ++d) {
      volume.push_back(below(5));
      for (Shape* const shape : {&to, &from}) {
        shape->offsets.push_back(below(3));
        shape->extents.push_back(volume[d] + shape->offsets[d] + below(2));
      }
    }
    const auto room = [](const Shape& shape) { return std::max<std::size_t>(shape.elements(), 1); };
    std::vector<int> source(room(from));
    std::iota(source.begin(), source.end(), 1);
    std::vector<int> target(room(to), -1);
    const bool to_device = round % 2 == 0;
    const std::uint64_t bytes = (to_device ? target : source).size() * sizeof(int);
    const Memory block = on_device(device, bytes);
    const Memory initial = on_host(to_device ? target : source);
    ASSERT_TRUE(perform({block, initial, 0, 0, bytes}, routine));
    const auto made = RectangleCopy::make(
        sizeof(int), static_cast<int>(dimensions), volume.data(),
        {to_device ? block : on_host(target), to.offsets.data(), to.extents.data()},
        {to_device ? on_host(source) : block, from.offsets.data(), from.extents.data()});
    ASSERT_TRUE(made) << made.error().message;
    std::vector<int> expected = target;
    const bool is_empty = std::ranges::find(volume, 0U) != volume.end();
    for (std::vector<std::size_t> index(dimensions, 0); !is_empty;) {
      expected[to.place(index)] = source[from.place(index)];
      std::size_t d = dimensions;
      while (d > 0 && ++index[d - 1] == volume[d - 1]) {
        index[--d] = 0;
      }
      if (d == 0) {
        break;
      }
    }
    if (round % 3 == 0 && made->fits_queue()) {
      QueuedCopies queue(made->first_row(), routine);
      ASSERT_TRUE(made->put_into(queue));
      ASSERT_TRUE(queue.wait());
    } else {
      ASSERT_TRUE(made->perform(routine));
    }
    if (to_device) {
      ASSERT_TRUE(perform({on_host(target), block, 0, 0, bytes}, routine));
    }
    ASSERT_EQ(target, expected) << "round " << round;
  }
}

} // namespace
} // namespace gantry::core
