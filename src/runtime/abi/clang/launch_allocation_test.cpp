// The warm path of a launch allocates nothing. Every allocation that Gantry's code asks for is
// counted: operator new is replaced here, and the C library's functions by the linker's --wrap.
#include "runtime/testing/registered_image.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

namespace {

std::atomic<long> allocations{0};

/// Out of the compiler's sight, which may leave out a pair of new and delete.
void* counted(void* memory) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

} // namespace

void* operator new(std::size_t size) {
  if (void* memory = counted(std::malloc(size))) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real_realloc(void* memory, std::size_t size);
int __real_posix_memalign(void** memory, std::size_t alignment, std::size_t size);

void* __wrap_malloc(std::size_t size) {
  return counted(__real_malloc(size));
}
void* __wrap_calloc(std::size_t count, std::size_t size) {
  return counted(__real_calloc(count, size));
}
void* __wrap_realloc(void* memory, std::size_t size) {
  return counted(__real_realloc(memory, size));
}
int __wrap_posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __real_posix_memalign(memory, alignment, size);
}
}

namespace gantry::abi::clang {
namespace {

constexpr std::int64_t kToFrom = kTo | kFrom | kTargetParameter;
constexpr std::int64_t kValue = kLiteral | kTargetParameter;

struct WarmLaunch : ::testing::Test {
  static void SetUpTestSuite() { setenv("GANTRY_DEVICES", "cpu,cpu+separate", 1); }

  static constexpr int kMost = 8;

  /// The arguments of version 3 of a construct with `count` of the items.
  KernelArguments arguments(std::uint32_t count, std::int64_t type) {
    for (int i = 0; i < kMost; ++i) {
      bases[i] = begins[i] = arrays[i];
      sizes[i] = sizeof arrays[i];
      types[i] = type;
    }
    return gantry::testing::arguments_of(3, count, bases, begins, sizes, types);
  }

  /// Allocations of 100 launches after the first few.
  long allocations_of(std::int64_t device, int region, const KernelArguments& arguments) {
    const auto launch = [&] {
      ASSERT_EQ(__tgt_target_kernel(nullptr, device, -1, 0, image.region(region), &arguments), 0);
    };
    for (int i = 0; i < 3; ++i) {
      launch();
    }
    const long before = allocations;
    for (int i = 0; i < 100; ++i) {
      launch();
    }
    return allocations - before;
  }

  enum Region { kNothing, kAdd, kAddArrays };
  gantry::testing::RegisteredImage image{{"nothing", "add_with_environment", "add_arrays"}};
  int arrays[kMost][16] = {};
  void* bases[kMost];
  void* begins[kMost];
  std::int64_t sizes[kMost];
  std::int64_t types[kMost];
};

TEST_F(WarmLaunch, TheCounterCounts) {
  const long before = allocations;
  int* volatile number = new int(1); // volatile, or the compiler leaves both calls out
  delete number;
  void* memory = nullptr;
  ASSERT_EQ(posix_memalign(&memory, 64, 64), 0);
  std::free(memory);
  void* volatile zeros = std::calloc(1, 1);
  std::free(zeros);
  EXPECT_GE(allocations - before, 2);
}

TEST_F(WarmLaunch, OfAnEmptyRegion) {
  for (const std::int64_t device : {0, 1}) {
    EXPECT_EQ(allocations_of(device, kNothing, arguments(0, 0)), 0);
  }
}

TEST_F(WarmLaunch, WithLiterals) {
  for (const std::int64_t device : {0, 1}) {
    EXPECT_EQ(allocations_of(device, kNothing, arguments(8, kValue)), 0);
  }
}

TEST_F(WarmLaunch, WithOneMappedScalar) {
  KernelArguments scalar = arguments(2, kToFrom);
  types[1] = kValue;
  bases[1] = begins[1] = reinterpret_cast<void*>(std::uintptr_t{1});
  sizes[0] = sizeof(int);
  EXPECT_EQ(allocations_of(0, kAdd, scalar), 0);
  EXPECT_EQ(arrays[0][0], 103);
  // Memory of the device's own is what such a device is there for, and nothing else is allocated.
  EXPECT_EQ(allocations_of(1, kAdd, scalar), 100);
  EXPECT_EQ(arrays[0][0], 206);
}

TEST_F(WarmLaunch, WithEightMappedArrays) {
  for (int i = 0; i < kMost; ++i) {
    arrays[i][0] = i + 1;
  }
  const KernelArguments mapped = arguments(8, kToFrom);
  EXPECT_EQ(allocations_of(0, kAddArrays, mapped), 0);
  EXPECT_EQ(allocations_of(1, kAddArrays, mapped), 800);
  EXPECT_EQ(arrays[7][0], 28);
}

TEST_F(WarmLaunch, WithPrivateCopies) {
  const KernelArguments copies = arguments(8, kPrivate | kTo | kTargetParameter);
  for (const std::int64_t device : {0, 1}) {
    EXPECT_EQ(allocations_of(device, kAddArrays, copies), 0);
  }
}

} // namespace
} // namespace gantry::abi::clang
