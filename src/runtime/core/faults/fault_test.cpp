// What a fault is said to be, without a device that has one; whole messages are in tests/runtime.
#include "runtime/core/faults/fault.h"

#include "runtime/core/reports/compiler_names.h"
#include "runtime/core/reports/text.h"
#include "runtime/testing/environment_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr CompilerNames kCompiler = {
    [](std::string_view) { return std::optional<std::string>(); },
    [](std::string_view) { return std::optional<std::string_view>(); },
    [](std::string_view) { return std::optional<std::string>(); },
    [](std::string_view) { return std::optional<std::string_view>(); },
    [](std::string_view kernel, const void*) {
      return kernel == "main_region" ? std::optional<std::string>("the region of 'main' at line 12")
                                     : std::nullopt;
    },
    [](std::string_view) { return std::optional<std::string>(); }};

/// One device, and constructs of test.cpp:7.
struct FaultCase : EnvironmentCase {
  explicit FaultCase(Memory memory) : EnvironmentCase(memory) { know_compiler(kCompiler); }

  [[nodiscard]] Status enter(MapItem item, const char* name = nullptr) {
    item.name = name;
    return EnvironmentCase::enter({item});
  }
  [[nodiscard]] Status exit(const MapItem& item) { return EnvironmentCase::exit({item}); }
  template <typename T>
  std::uintptr_t corresponding(const T& object) {
    return address(EnvironmentCase::corresponding(object));
  }
  std::string described(gantry_fault fault, std::uintptr_t address,
                        std::span<const MapItem> items = {}) {
    fault.address_known = 1;
    fault.address = address;
    return describe_fault(fault, environment, items);
  }
};

struct FaultOfDevice : FaultCase {
  FaultOfDevice() : FaultCase(Memory::kSeparate) {}

  std::string described(std::uintptr_t address, std::span<const MapItem> items = {}) {
    gantry_fault fault{};
    fault.kind = GANTRY_FAULT_ACCESS;
    fault.access = access;
    fault.kernel_name = "main_region";
    return FaultCase::described(fault, address, items);
  }

  std::int32_t access = GANTRY_FAULT_ACCESS_READ;
};

TEST_F(FaultOfDevice, AddressesNearAndInsideStorage) {
  int y[100] = {};
  ASSERT_TRUE(enter(to(y), "y"));
  const std::uintptr_t begin = corresponding(y);
  EXPECT_THAT(described(begin + 414),
              HasSubstr(": 14 bytes past the end of 'y', which has 400 bytes and was mapped at "
                        "test.cpp:7"));
  EXPECT_THAT(described(begin + 400), HasSubstr(": right behind the end of 'y', "));
  EXPECT_THAT(described(begin - 4), HasSubstr(": 4 bytes before 'y', "));
  EXPECT_THAT(described(begin + 8), HasSubstr(": 'y' at offset 8, "));
  EXPECT_THAT(described(reinterpret_cast<std::uintptr_t>(&y[1])),
              HasSubstr(": host address of 'y' at offset 4, which is mapped at test.cpp:7; "));
  ASSERT_TRUE(exit(remove(y)));
  EXPECT_THAT(described(begin + 8),
              HasSubstr(": freed device memory: 'y' at offset 8, which had 400 bytes, was unmapped "
                        "at test.cpp:7"));
}

TEST_F(FaultOfDevice, AddressesOfNothing) {
  EXPECT_EQ(described(0), "the region of 'main' at line 12 read from address 0x0: a null pointer");
  access = GANTRY_FAULT_ACCESS_UNKNOWN;
  EXPECT_THAT(described(8), HasSubstr(" used address 0x8: a null pointer at offset 8"));
  EXPECT_THAT(described(0x12345678000),
              HasSubstr(": where neither the device nor the host has memory"));
}

TEST_F(FaultOfDevice, AddressesBesideMappedStorageThatTheHostHasUnmapped) {
  constexpr std::size_t kPage = 4096;
  void* const page =
      mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MapItem item;
  item.base = item.begin = static_cast<std::byte*>(page);
  item.size = kPage;
  ASSERT_TRUE(enter(item));
  munmap(page, kPage);
  const int stray = 0;
  EXPECT_THAT(described(reinterpret_cast<std::uintptr_t>(&stray)), HasSubstr(": host address of "));
  ASSERT_TRUE(exit(item));
}

TEST_F(FaultOfDevice, StorageIsNamedForWhatIsNearItAlone) {
  int y[100] = {};
  ASSERT_TRUE(enter(to(y)));
  const std::uintptr_t begin = corresponding(y);
  constexpr std::uintptr_t kPage = 4096;
  EXPECT_THAT(described(begin + sizeof y + kPage), HasSubstr(" bytes past the end of "));
  EXPECT_THAT(described(begin + sizeof y + kPage + 1), Not(HasSubstr(" past the end of ")));
  EXPECT_THAT(described(begin - kPage), HasSubstr(" bytes before "));
  EXPECT_THAT(described(begin - kPage - 1), Not(HasSubstr(" before ")));
  ASSERT_TRUE(exit(remove(y)));
}

TEST_F(FaultOfDevice, PointersToDeviceMemoryAreTakenForNoneOfTheHost) {
  int y[100] = {};
  ASSERT_TRUE(enter(to(y), "y"));
  MapItem pointer;
  pointer.begin = static_cast<std::byte*>(environment.corresponding(y, sizeof y));
  pointer.base = pointer.begin;
  pointer.name = "q";
  ASSERT_TRUE(exit(remove(y)));
  EXPECT_THAT(
      described(reinterpret_cast<std::uintptr_t>(pointer.begin) + sizeof y, {&pointer, 1}),
      HasSubstr(": 400 bytes behind where 'q' points to, freed device memory: 'y', which had "
                "400 bytes, was unmapped at test.cpp:7"));
}

/// On a device that uses the host's memory as its own.
struct FaultInHostMemory : FaultCase {
  FaultInHostMemory() : FaultCase(Memory::kShared) {}

  std::string described(std::uintptr_t address, std::int32_t kind, std::int32_t access) {
    gantry_fault fault{};
    fault.kind = kind;
    fault.access = access;
    fault.what = "race";
    return FaultCase::described(fault, address);
  }
};

TEST_F(FaultInHostMemory, NamesWhatIsMapped) {
  environment.unify();
  int sum[2] = {};
  ASSERT_TRUE(enter(tofrom(sum), "sum"));
  const auto second = reinterpret_cast<std::uintptr_t>(&sum[1]);
  for (const std::int32_t kind : {GANTRY_FAULT_DESCRIBED, GANTRY_FAULT_ACCESS}) {
    EXPECT_THAT(described(second, kind, GANTRY_FAULT_ACCESS_WRITE),
                EndsWith(": 'sum' at offset 4, which has 8 bytes and was mapped at test.cpp:7"));
  }
  ASSERT_TRUE(exit(remove(sum)));
  EXPECT_THAT(described(second, GANTRY_FAULT_DESCRIBED, GANTRY_FAULT_ACCESS_WRITE),
              EndsWith(": host memory"));
}

TEST_F(FaultInHostMemory, SaysOfWhatMayNotBeWrittenAloneThatItMayNot) {
  constexpr std::size_t kPage = 4096;
  void* const page = mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto begin = reinterpret_cast<std::uintptr_t>(page);
  EXPECT_THAT(described(begin, GANTRY_FAULT_ACCESS, GANTRY_FAULT_ACCESS_WRITE),
              EndsWith(": host memory that may not be written"));
  EXPECT_THAT(described(begin, GANTRY_FAULT_DESCRIBED, GANTRY_FAULT_ACCESS_READ),
              EndsWith(": host memory"));
  munmap(page, kPage);
  for (const std::uintptr_t nothing : {begin, ~std::uintptr_t{0}}) {
    EXPECT_THAT(described(nothing, GANTRY_FAULT_ACCESS, GANTRY_FAULT_ACCESS_READ),
                EndsWith(": where neither the device nor the host has memory"));
  }
}

TEST_F(FaultOfDevice, WhatAKernelHasOverwrittenIsNotTrusted) {
  gantry_fault fault{};
  fault.kind = GANTRY_FAULT_ACCESS;
  fault.address_known = 1;
  fault.access = 0x7f00ff;
  EXPECT_THAT(describe_fault(fault, environment, {}), HasSubstr(" used address 0x0: "));
}

TEST_F(FaultOfDevice, OtherKinds) {
  gantry_fault fault{};
  EXPECT_EQ(describe_fault(fault, environment, {}), "") << "the plugin's message says it";
  fault.kind = GANTRY_FAULT_EXIT;
  fault.value = 3;
  EXPECT_EQ(describe_fault(fault, environment, {}),
            "code on the device called exit(3), which ends the device");
  fault.kernel_name = "#2";
  fault.kind = GANTRY_FAULT_ARITHMETIC;
  EXPECT_EQ(describe_fault(fault, environment, {}), "a region divided by zero");
}

} // namespace
} // namespace gantry::core
