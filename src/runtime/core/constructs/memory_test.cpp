#include "runtime/core/constructs/memory.h"

#include "runtime/core/constructs/rectangle.h"
#include "runtime/testing/fake_plugin.h"

#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace gantry::core {
namespace {

using testing::FakePlugin;
using ::testing::HasSubstr;

constexpr std::uint64_t kLong = (5u << 20) + 17; // several pieces, the last one short

std::string message(const Status& status) {
  return status ? std::string() : status.error().message;
}

Status checked(const Copy& copy) {
  Status status = check(copy);
  return status ? perform(copy, {"test"}) : status;
}

struct DeviceMemory : ::testing::Test {
  /// `size` bytes of the device, freed with the test.
  Memory on_device(std::uint64_t size) {
    blocks.push_back(
        {&device, static_cast<std::byte*>(allocate(&device, size, MemoryKind::kDevice).value())});
    return blocks.back();
  }
  static Memory on_host(std::vector<std::byte>& bytes) { return {nullptr, bytes.data()}; }
  static std::vector<std::byte> pattern(std::uint64_t size) {
    std::vector<std::byte> bytes(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
    }
    return bytes;
  }
  void TearDown() override {
    for (const Memory& block : blocks) {
      EXPECT_TRUE(release(block, MemoryKind::kDevice));
    }
  }

  FakePlugin plugin;
  Device device{plugin.open(), ""};
  std::vector<Memory> blocks;
};

TEST_F(DeviceMemory, IsCopiedBetweenHostAndDevices) {
  std::vector<std::byte> source = pattern(kLong);
  std::vector<std::byte> result(kLong);
  const Memory a = on_device(kLong);
  const Memory b = on_device(kLong);
  ASSERT_TRUE(checked({a, on_host(source), 0, 0, kLong}));
  ASSERT_TRUE(checked({b, a, 1, 3, kLong - 3}));
  ASSERT_TRUE(checked({on_host(result), b, 5, 1, kLong - 5}));
  EXPECT_TRUE(std::equal(result.begin() + 5, result.end() - 1, source.begin() + 3));
}

TEST_F(DeviceMemory, MayOverlapItsCopyInEitherDirection) {
  for (const auto& [to, from] : {std::pair{0u, 1000u}, std::pair{1000u, 0u}}) {
    std::vector<std::byte> source = pattern(kLong);
    const Memory block = on_device(kLong);
    ASSERT_TRUE(checked({block, on_host(source), 0, 0, kLong}));
    ASSERT_TRUE(checked({block, block, to, from, kLong - 1000}));
    std::vector<std::byte> result(kLong - 1000);
    ASSERT_TRUE(checked({on_host(result), block, 0, to, result.size()}));
    EXPECT_TRUE(std::equal(result.begin(), result.end(), source.begin() + from));

    std::vector<std::byte> host = source;
    ASSERT_TRUE(checked({on_host(host), on_host(host), to, from, kLong - 1000}));
    EXPECT_TRUE(std::equal(result.begin(), result.end(), host.begin() + to));
  }
}

TEST_F(DeviceMemory, IsFilled) {
  std::vector<std::byte> result(kLong);
  const Memory block = on_device(kLong);
  for (const Memory& memory : {block, on_host(result)}) {
    const Fill fill{memory, kLong, std::byte{0xa5}};
    ASSERT_TRUE(check(fill) && perform(fill));
  }
  std::vector<std::byte> copy(kLong);
  ASSERT_TRUE(checked({on_host(copy), block, 0, 0, kLong}));
  EXPECT_EQ(copy, std::vector<std::byte>(kLong, std::byte{0xa5}));
  EXPECT_EQ(result, copy);
  EXPECT_THAT(message(check(Fill{block, kLong + 1})), HasSubstr("reach past the allocation"));
  EXPECT_THAT(message(check(Fill{{&device, nullptr}, 4})), HasSubstr("'ptr' is a null pointer"));
}

TEST_F(DeviceMemory, IsNotAccessedPastItsEnd) {
  std::vector<std::byte> host(128);
  const Memory block = on_device(64);
  EXPECT_THAT(message(checked({block, on_host(host), 0, 0, 65})),
              HasSubstr("device 0 (fake): 'dst': 65 bytes at "));
  EXPECT_THAT(message(checked({on_host(host), block, 0, 32, 33})), HasSubstr("'src': 33 bytes"));
  EXPECT_TRUE(checked({block, on_host(host), 32, 64, 32}));
  EXPECT_EQ(plugin.counts.submits, 1);
}

TEST_F(DeviceMemory, CopiesOfNothingNeedNoPointer) {
  EXPECT_TRUE(checked({{&device, nullptr}, {nullptr, nullptr}, 3, 4, 0}));
  std::vector<std::byte> host(8);
  EXPECT_THAT(message(checked({{&device, nullptr}, on_host(host), 0, 0, 8})),
              HasSubstr("'dst' is a null pointer, of which 8 bytes"));
  EXPECT_THAT(message(checked({on_host(host), {}, 0, 0, 8})), HasSubstr("'src' is a null pointer"));
}

TEST_F(DeviceMemory, OffsetsThatOverflowAreNamed) {
  std::vector<std::byte> host(8);
  const std::uint64_t huge = ~std::uint64_t{0} - 2;
  for (const auto& [offset, size] : {std::pair{huge, 1ul}, {8ul, huge}, {huge, huge}}) {
    EXPECT_THAT(message(checked({on_host(host), on_host(host), offset, 0, size})),
                HasSubstr("reach past the end of the address space"));
  }
}

TEST_F(DeviceMemory, RefusalsOfTheDeviceNameIt) {
  std::vector<std::byte> host(8);
  const Memory block = on_device(8);
  const Memory other = on_device(8);
  const Copy copies[] = {
      {block, on_host(host), 0, 0, 8}, {on_host(host), block, 0, 0, 8}, {block, other, 0, 0, 8}};
  for (const Copy& copy : copies) {
    plugin.fail_call(1);
    EXPECT_THAT(message(checked(copy)), HasSubstr("device 0 (fake)"));
  }
  plugin.fail_call(2);
  EXPECT_THAT(message(checked(copies[2])), HasSubstr("injected failure of copy_to_device"));
  plugin.fail_call(1);
  EXPECT_THAT(message(perform(Fill{block, 8})), HasSubstr("device 0 (fake): injected"));
  const Memory third{&device,
                     static_cast<std::byte*>(allocate(&device, 8, MemoryKind::kDevice).value())};
  plugin.fail_call(1);
  EXPECT_THAT(message(release(third, MemoryKind::kDevice)), HasSubstr("device 0 (fake): injected"));
  EXPECT_THAT(message(release(third, MemoryKind::kDevice)), HasSubstr("was freed already"));
  plugin.fail_call(1);
  const auto refused = allocate(&device, 8, MemoryKind::kDevice);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("device 0 (fake): injected failure of allocate"));
}

TEST_F(DeviceMemory, OfTheHostTooNeedsADeviceThatCanUseIt) {
  EXPECT_THAT(allocate(&device, 8, MemoryKind::kHost).error().message,
              HasSubstr("the device has no access to the host's memory"));
  EXPECT_FALSE(allocate(&device, 8, MemoryKind::kShared));
}

TEST(DeviceMemoryOfASharingDevice, MayBeTheHosts) {
  FakePlugin plugin(testing::Memory::kShared);
  Device device(plugin.open(), "");
  for (const MemoryKind kind : {MemoryKind::kHost, MemoryKind::kShared}) {
    auto allocated = allocate(&device, 8, kind);
    ASSERT_TRUE(allocated);
    const Memory memory{&device, static_cast<std::byte*>(*allocated)};
    memory.pointer[7] = std::byte{1};
    EXPECT_FALSE(release(memory, MemoryKind::kDevice)) << "it is of another kind";
    EXPECT_TRUE(release(memory, kind));
    EXPECT_FALSE(release(memory, kind));
  }
  EXPECT_EQ(plugin.counts.allocations, 0);
}

/// Three pages of the host, of which one is not there.
struct PagesAndAHole {
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kSize = 3 * kPage;
  explicit PagesAndAHole(std::size_t at)
      : hole(at), memory(static_cast<std::byte*>(mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    munmap(memory + hole * kPage, kPage);
  }
  PagesAndAHole(const PagesAndAHole&) = delete;
  PagesAndAHole& operator=(const PagesAndAHole&) = delete;
  ~PagesAndAHole() {
    for (const std::size_t page : {0, 1, 2}) {
      if (page != hole) {
        munmap(memory + page * kPage, kPage);
      }
    }
  }
  std::size_t hole;
  std::byte* memory;
};

TEST_F(DeviceMemory, IsNotCopiedWhereTheHostHasNone) {
  const PagesAndAHole pages(2);
  const Memory host{nullptr, pages.memory};
  const Memory block = on_device(PagesAndAHole::kSize);
  const std::string ends = fmt::format("the host's memory ends at {}, behind 8192 of 12288 bytes",
                                       fmt::ptr(pages.memory + 2 * PagesAndAHole::kPage));
  EXPECT_EQ(message(checked({block, host, 0, 0, PagesAndAHole::kSize})), "'src': " + ends);
  EXPECT_EQ(message(checked({host, block, 0, 0, PagesAndAHole::kSize})), "'dst': " + ends);
  EXPECT_EQ(message(check(Fill{host, PagesAndAHole::kSize, std::byte{1}})), "'ptr': " + ends);
  EXPECT_THAT(message(checked({host, block, 2 * PagesAndAHole::kPage + 8, 0, 8})),
              HasSubstr("'dst': the host has no memory at "));
  EXPECT_TRUE(checked({host, block, 0, 0, 2 * PagesAndAHole::kPage}));
  ASSERT_EQ(mprotect(pages.memory, PagesAndAHole::kPage, PROT_READ), 0);
  EXPECT_TRUE(checked({block, host, 0, 0, 2 * PagesAndAHole::kPage}));
  EXPECT_EQ(message(checked({host, block, 8, 0, 100})),
            fmt::format("'dst': the host's memory cannot be written from {} on",
                        fmt::ptr(pages.memory + 8)));
}

TEST_F(DeviceMemory, OfTheHostMayLackWhatLiesBetweenRows) {
  const PagesAndAHole pages(1);
  const Memory host{nullptr, pages.memory};
  const Memory block = on_device(48);
  const auto copied = [&](std::size_t rows, std::size_t distance) -> Status {
    const std::size_t volume[] = {rows, 16};
    const std::size_t origin[] = {0, 0};
    const std::size_t of_host[] = {rows, distance};
    const auto copy =
        RectangleCopy::make(1, 2, volume, {block, origin, volume}, {host, origin, of_host});
    return copy ? copy->perform({"test"}) : tl::unexpected(copy.error());
  };
  EXPECT_TRUE(copied(2, 2 * PagesAndAHole::kPage));
  EXPECT_THAT(message(copied(3, PagesAndAHole::kPage)),
              HasSubstr("'src': the host has no memory at "));
}

} // namespace
} // namespace gantry::core
