// Launches through the entry point that compiled code calls, on a real device.
#include "runtime/testing/registered_image.h"

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

namespace gantry::abi::clang {
namespace {

constexpr std::size_t kSizeOfVersion1 = 64;
constexpr std::int64_t kTypes[] = {kTo | kFrom | kTargetParameter, kLiteral | kTargetParameter};

struct Launch : ::testing::Test {
  static void SetUpTestSuite() { setenv("GANTRY_DEVICES", "cpu,cpu+separate", 1); }

  enum Region { kAdd, kAddWithEnvironment, kNothing };
  gantry::testing::RegisteredImage image{{"add", "add_with_environment", "nothing"}};

  /// The arguments of `x += value`.
  KernelArguments add(std::uint32_t version, std::uintptr_t value) {
    bases[1] = begins[1] = reinterpret_cast<void*>(value);
    return gantry::testing::arguments_of(version, 2, bases, begins, sizes, kTypes);
  }

  int launch(std::int64_t device, Region region, const KernelArguments* arguments) const {
    return __tgt_target_kernel(nullptr, device, -1, 0, image.region(region), arguments);
  }

  int x = 40;
  void* bases[2] = {&x, nullptr};
  void* begins[2] = {&x, nullptr};
  std::int64_t sizes[2] = {sizeof x, 0};
};

TEST_F(Launch, OfVersions2And3) {
  for (const std::int64_t device : {0, 1}) {
    KernelArguments arguments = add(2, 2);
    ASSERT_EQ(launch(device, kAdd, &arguments), 0);
    arguments = add(3, 3);
    ASSERT_EQ(launch(device, kAddWithEnvironment, &arguments), 0);
  }
  EXPECT_EQ(x, 50);
}

TEST_F(Launch, OfVersion1ReadsNothingBehindIts64Bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* end = static_cast<std::byte*>(pages) + page;
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  const KernelArguments arguments = add(1, 2);
  auto* at_end = end - kSizeOfVersion1;
  std::memcpy(at_end, &arguments, kSizeOfVersion1);
  EXPECT_EQ(launch(0, kAdd, reinterpret_cast<const KernelArguments*>(at_end)), 0);
  EXPECT_EQ(x, 42);
  munmap(pages, 2 * page);
}

TEST_F(Launch, OfAnUnknownVersionEndsTheProgram) {
  for (const std::uint32_t version : {0u, 4u, ~0u}) {
    const KernelArguments arguments = add(version, 2);
    EXPECT_EXIT(launch(0, kAdd, &arguments), ::testing::ExitedWithCode(1),
                "gantry: error: target: device 0 \\(cpu\\): the launch has arguments of version");
  }
}

TEST_F(Launch, WhoseMapperThrowsEndsTheProgram) {
  KernelArguments arguments = add(3, 2);
  void* mappers[] = {reinterpret_cast<void*>(
                         +[](void*, void*, void*, std::int64_t, std::int64_t, void*) { throw 1; }),
                     nullptr};
  arguments.mappers = mappers;
  const auto caught = [&] {
    try {
      launch(0, kAdd, &arguments);
    } catch (int) {
      std::exit(0);
    }
  };
  EXPECT_DEATH(caught(), "terminate called after throwing");
}

TEST_F(Launch, OfAnUnknownKernelEndsTheProgram) {
  const KernelArguments arguments = add(2, 2);
  EXPECT_EXIT(__tgt_target_kernel(nullptr, 0, -1, 0, &x, &arguments), ::testing::ExitedWithCode(1),
              "no device image of the program fits this device and holds the kernel");
}

TEST_F(Launch, OnADeviceThatDoesNotExistEndsTheProgram) {
  const KernelArguments arguments = add(2, 2);
  EXPECT_EXIT(launch(3, kAdd, &arguments), ::testing::ExitedWithCode(1),
              "device number 3 does not exist; there are 2 devices");
  EXPECT_EXIT(launch(-2, kAdd, &arguments), ::testing::ExitedWithCode(1),
              "device number -2 does not exist");
}

TEST_F(Launch, OnTheHostAsksForTheHostsVersion) {
  const KernelArguments arguments = add(2, 2);
  EXPECT_NE(launch(2, kAdd, &arguments), 0);
  EXPECT_EQ(x, 40);
}

TEST_F(Launch, OfAProgramThatIsRegisteredAgain) {
  for (int i = 0; i < 20; ++i) {
    const gantry::testing::RegisteredImage other{{"add"}};
    const KernelArguments arguments = add(2, 1);
    ASSERT_EQ(__tgt_target_kernel(nullptr, 1, -1, 0, other.region(0), &arguments), 0);
  }
  EXPECT_EQ(x, 60);
}

TEST_F(Launch, ALackingKernelIsNamed) {
  const gantry::testing::RegisteredImage other{{"absent"}};
  const KernelArguments arguments = add(2, 2);
  EXPECT_EXIT(launch(0, kAdd, &arguments), ::testing::ExitedWithCode(1),
              "offload entry for the kernel 'absent' and its device image does not");
}

} // namespace
} // namespace gantry::abi::clang
