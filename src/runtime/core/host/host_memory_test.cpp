#include "runtime/core/host/host_memory.h"

#include "runtime/testing/environment_case.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::HasSubstr;
using Access = HostMemory::Access;

constexpr std::size_t kPage = 4096;

/// Pages of the test's own, of which some go.
struct Pages {
  explicit Pages(std::size_t count, int protection = PROT_READ | PROT_WRITE)
      : size(count * kPage), memory(static_cast<std::byte*>(mmap(
                                 nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(memory, size); }
  void lose(std::size_t page) const { munmap(memory + page * kPage, kPage); }
  [[nodiscard]] std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(memory); }

  std::size_t size;
  std::byte* memory;
};

std::optional<std::uintptr_t> missing(std::uintptr_t begin, std::uint64_t size,
                                      Access access = Access::kRead) {
  return HostMemory::instance().first_missing(begin, size, access);
}

template <typename T>
bool all_there(T* object, std::uint64_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(object);
  return !missing(begin, size) && !missing(begin, size, Access::kWrite);
}

TEST(HostMemory, HasVariablesOfEveryKind) {
  static int global[5000];
  int local = 0;
  const auto small = std::make_unique<int>(1);
  const auto large = std::make_unique<std::byte[]>(50 << 20);
  EXPECT_TRUE(all_there(global, sizeof global));
  EXPECT_TRUE(all_there(&local, sizeof local));
  EXPECT_TRUE(all_there(small.get(), sizeof(int)));
  EXPECT_TRUE(all_there(large.get(), 50 << 20));
  EXPECT_FALSE(missing(0, 0));
}

TEST(HostMemory, EndsWhereNothingIsMapped) {
  EXPECT_EQ(missing(0, 1), 0u);
  EXPECT_EQ(missing(16, 8), 16u);
  EXPECT_EQ(missing(std::uintptr_t{1} << 62, 8), std::uintptr_t{1} << 62);
  EXPECT_EQ(missing(~std::uintptr_t{0}, 1), ~std::uintptr_t{0}) << "the last address of all";
  EXPECT_EQ(missing(~std::uintptr_t{7}, 8), ~std::uintptr_t{7});
  const Pages pages(8);
  std::memset(pages.memory, 1, pages.size);
  EXPECT_FALSE(missing(pages.begin(), pages.size)) << "which is known from now on";
  pages.lose(5);
  EXPECT_EQ(missing(pages.begin() + 8, 7 * kPage), pages.begin() + 5 * kPage);
  EXPECT_FALSE(missing(pages.begin(), 5 * kPage));
  EXPECT_FALSE(missing(pages.begin() + 6 * kPage, kPage));
  EXPECT_EQ(missing(pages.begin() + 5 * kPage + 100, 1), pages.begin() + 5 * kPage + 100);
}

TEST(HostMemory, DoesNotFillTheHolesItself) {
  // The list of so many mappings is longer than any buffer that malloc takes from its heap, and the
  // system maps new memory into the highest hole that holds it.
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
  const Pages many(6000);
  for (std::size_t page = 0; page < many.size / kPage; page += 2) {
    ASSERT_EQ(mprotect(many.memory + page * kPage, kPage, PROT_READ), 0);
  }
  EXPECT_EQ(missing(0, 1), 0u) << "the list has the memory now that it keeps";
  const Pages hole(256);
  munmap(hole.memory, hole.size);
  for (std::size_t page = 0; page < hole.size / kPage; ++page) {
    const std::uintptr_t begin = hole.begin() + page * kPage;
    EXPECT_EQ(missing(begin, kPage), begin) << "page " << page;
  }
}

TEST(HostMemory, KnowsWhatCannotBeWrittenOrRead) {
  const Pages constant(2, PROT_READ);
  EXPECT_FALSE(missing(constant.begin(), 2 * kPage));
  EXPECT_EQ(missing(constant.begin() + 4, 8, Access::kWrite), constant.begin() + 4);
  const Pages guard(2, PROT_NONE);
  EXPECT_EQ(missing(guard.begin(), 8), guard.begin());
}

TEST(HostMemory, KnowsOfPagesInTheMiddleThatCannotBeWrittenOrRead) {
  for (const std::size_t count : {8, 100, 5000}) {
    SCOPED_TRACE(count);
    const Pages pages(count);
    std::memset(pages.memory, 1, pages.size);
    EXPECT_TRUE(all_there(pages.memory, pages.size));
    std::byte* const middle = pages.memory + count / 2 * kPage;
    const auto there = reinterpret_cast<std::uintptr_t>(middle);
    ASSERT_EQ(mprotect(middle, kPage, PROT_READ), 0);
    EXPECT_FALSE(missing(pages.begin(), pages.size));
    EXPECT_EQ(missing(pages.begin(), pages.size, Access::kWrite), there);
    ASSERT_EQ(mprotect(middle, kPage, PROT_NONE), 0);
    EXPECT_EQ(missing(pages.begin(), pages.size), there);
    EXPECT_EQ(missing(pages.begin(), pages.size, Access::kWrite), there);
    EXPECT_FALSE(missing(pages.begin(), count / 2 * kPage));
    ASSERT_EQ(mprotect(middle, kPage, PROT_READ | PROT_WRITE), 0);
    EXPECT_TRUE(all_there(pages.memory, pages.size));
  }
}

TEST(HostMemory, EndsWhereTheFileOfItsMappingEnds) {
  for (const std::size_t count : {4, 100}) {
    SCOPED_TRACE(count);
    const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::tmpfile(), &std::fclose);
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(ftruncate(fileno(file.get()), 3 * kPage), 0);
    const std::size_t size = count * kPage;
    void* const memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file.get()), 0);
    ASSERT_NE(memory, MAP_FAILED);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    EXPECT_TRUE(all_there(static_cast<std::byte*>(memory), 3 * kPage));
    EXPECT_EQ(missing(begin + 8, size - 8), begin + 3 * kPage);
    EXPECT_EQ(missing(begin, size, Access::kWrite), begin + 3 * kPage);
    EXPECT_EQ(missing(begin + 3 * kPage + 8, 8), begin + 3 * kPage + 8);
    munmap(memory, size);
  }
}

/// A program may close all descriptors, as a daemon does, and open others.
TEST(HostMemory, IsKnownWithoutTheDescriptorOfTheList) {
  const Pages pages(100);
  EXPECT_EXIT(
      {
        bool right = all_there(pages.memory, pages.size);
        for (int descriptor = 3; descriptor < 1000; ++descriptor) {
          close(descriptor);
        }
        const int other = open("/dev/null", O_RDONLY);
        right = right && all_there(pages.memory, pages.size);
        mprotect(pages.memory + 50 * kPage, kPage, PROT_NONE);
        right = right && missing(pages.begin(), pages.size) == pages.begin() + 50 * kPage;
        const bool still_open = fcntl(other, F_GETFD) >= 0;
        std::_Exit(right && still_open ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

/// The list that was opened before a fork is of the parent.
TEST(HostMemory, IsAProcessesOwn) {
  const Pages pages(100);
  EXPECT_TRUE(all_there(pages.memory, pages.size));
  EXPECT_EXIT(
      {
        mprotect(pages.memory + 50 * kPage, kPage, PROT_NONE);
        std::_Exit(missing(pages.begin(), pages.size) == pages.begin() + 50 * kPage ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(HostMemory, FindsWhatIsMappedAnew) {
  for (int i = 0; i < 100; ++i) {
    const Pages pages(3);
    EXPECT_TRUE(all_there(pages.memory, pages.size));
  }
}

struct HostStorage : EnvironmentCase {
  static MapItem of(const Pages& pages, std::size_t size) {
    MapItem item;
    item.base = item.begin = pages.memory;
    item.size = size;
    item.name = "b[0:n]";
    return item;
  }
};

TEST_F(HostStorage, ThatEndsTooEarlyIsAnErrorOfEnter) {
  const Pages pages(4);
  pages.lose(2);
  MapItem item = of(pages, 4 * kPage);
  item.to = true;
  const Status status = enter({item});
  ASSERT_FALSE(status);
  EXPECT_FALSE(status.error().of_device) << "the host would not do better";
  EXPECT_THAT(
      status.error().message,
      HasSubstr(fmt::format("copy to the device of 'b[0:n]' [{:#x}, 16384 bytes), mapped at "
                            "test.cpp:7: the host's storage ends at {:#x}, 8192 bytes ",
                            pages.begin(), pages.begin() + 2 * kPage)));
  EXPECT_FALSE(environment.is_present(pages.memory, 1));
}

TEST_F(HostStorage, ThatCannotBeReadInItsMiddleIsAnErrorOfEnter) {
  const Pages pages(100);
  ASSERT_EQ(mprotect(pages.memory + 50 * kPage, kPage, PROT_NONE), 0);
  MapItem item = of(pages, pages.size);
  item.to = true;
  const Status status = enter({item});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message,
              HasSubstr(fmt::format("copy to the device of 'b[0:n]' [{:#x}, 409600 bytes), mapped "
                                    "at test.cpp:7: the host's storage ends at {:#x}, 204800 bytes",
                                    pages.begin(), pages.begin() + 50 * kPage)));
}

TEST_F(HostStorage, ThatIsGoneIsAnErrorOfExit) {
  const Pages pages(2);
  MapItem item = of(pages, 2 * kPage);
  item.to = item.from = true;
  int x = 1;
  ASSERT_TRUE(enter({item, to(x)}));
  plugin.write(corresponding(x), 2);
  pages.lose(0);
  pages.lose(1);
  const Status status = exit({item, from(x)});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("the host has no storage there"));
  EXPECT_EQ(x, 2) << "other items are copied all the same";
  EXPECT_FALSE(environment.is_present(pages.memory, 1));
}

TEST_F(HostStorage, ThatIsGoneMayBeUnmappedWithoutACopy) {
  const Pages pages(1);
  ASSERT_TRUE(enter({of(pages, kPage)}));
  pages.lose(0);
  EXPECT_TRUE(exit({of(pages, kPage)}));
}

TEST_F(HostStorage, ThatCannotBeWrittenIsAnErrorOfACopyBack) {
  const Pages pages(1, PROT_READ);
  MapItem item = of(pages, kPage);
  item.to = true;
  ASSERT_TRUE(enter({item}));
  item.from = true;
  const Status status = exit({item});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("the host's storage cannot be written from "));
}

TEST_F(HostStorage, OfWhichOnlyPiecesAreThereMayBeUpdatedInPieces) {
  const Pages pages(3);
  MapItem whole = of(pages, 3 * kPage);
  ASSERT_TRUE(enter({whole}));
  pages.lose(1);
  MapItem pieces = of(pages, 64);
  pieces.pieces = 2;
  pieces.stride = 2 * kPage;
  pieces.to = true;
  EXPECT_TRUE(update({pieces}));
  pieces.stride = kPage + 100;
  const Status status = update({pieces});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message,
              HasSubstr(fmt::format("storage ends at {:#x}, 4096 bytes", pages.begin() + kPage)))
      << "and not where the second piece begins";
  ASSERT_TRUE(exit({whole}));
}

TEST_F(HostStorage, OfALargePrivateCopyMustBeThere) {
  const Pages pages(3);
  MapItem item = of(pages, pages.size);
  item.kind = MapKind::kPrivate;
  item.to = item.argument = true;
  pages.lose(2);
  int x = 1;
  const auto entered = enter_target({to(x), item});
  ASSERT_FALSE(entered);
  EXPECT_EQ(entered.error().message,
            fmt::format("private copy of 'b[0:n]' [{:#x}, 12288 bytes): the host's storage ends at "
                        "{:#x}, 8192 bytes from the item's first",
                        pages.begin(), pages.begin() + 2 * kPage));
  EXPECT_FALSE(present(x));
}

TEST_F(HostStorage, IsNotMemoryOfTheDevice) {
  auto device_memory = plugin.device().allocate(4096);
  ASSERT_TRUE(device_memory);
  const auto begin = reinterpret_cast<std::uintptr_t>(*device_memory);
  allocations.insert(begin, 4096, MemoryKind::kDevice);
  MapItem item;
  item.base = item.begin = static_cast<std::byte*>(*device_memory) + 64;
  item.size = 8;
  item.name = "p[0:1]";
  const Status status = enter({item});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message,
              HasSubstr(fmt::format("mapping of 'p[0:1]' [{:#x}, 8 bytes), which lies in device "
                                    "memory: the allocation [{:#x}, 4096 bytes); name the pointer "
                                    "in is_device_ptr",
                                    begin + 64, begin)));
  ASSERT_TRUE(plugin.device().release(*device_memory));
}

} // namespace
} // namespace gantry::core
