// The cpu plugin by its C interface, with real images.
#include "plugins/cpu/device.h"
#include "plugins/cpu/testing/test_image.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include <gantry/plugin.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace gantry::cpu {
namespace {

using ::testing::HasSubstr;

std::string message() {
  return __tgt_rtl_error_message();
}

/// Devices 0 (sharing) and 1 (separate) of the plugin; OpenMP calls them 5 and 6.
struct CpuPlugin : ::testing::Test {
  static void SetUpTestSuite() {
    ASSERT_EQ(__tgt_rtl_init_device(0, 5, ""), GANTRY_SUCCESS);
    ASSERT_EQ(__tgt_rtl_init_device(1, 6, "separate"), GANTRY_SUCCESS);
  }

  gantry_image* load(std::int32_t device = 0, const char* file = nullptr) {
    gantry_image* image = nullptr;
    EXPECT_EQ(__tgt_rtl_create_image(device, bytes.data(), bytes.size(), file, &image),
              GANTRY_SUCCESS)
        << message();
    EXPECT_EQ(__tgt_rtl_load_image(image), GANTRY_SUCCESS) << message();
    return image;
  }

  template <typename... Values>
  static void launch(gantry_image* image, const char* name, Values... values) {
    gantry_kernel* kernel = nullptr;
    ASSERT_EQ(__tgt_rtl_find_kernel(image, name, &kernel), GANTRY_SUCCESS) << message();
    void* arguments[] = {reinterpret_cast<void*>(values)..., nullptr};
    gantry_launch how{};
    how.arguments = arguments;
    how.argument_count = sizeof...(values);
    EXPECT_EQ(__tgt_rtl_launch_kernel(0, kernel, &how), GANTRY_SUCCESS) << message();
  }

  template <typename T>
  static T& variable(gantry_image* image, const char* name) {
    void* address = nullptr;
    std::uint64_t size = 0;
    EXPECT_EQ(__tgt_rtl_find_variable(image, name, &address, &size), GANTRY_SUCCESS) << message();
    EXPECT_EQ(size, sizeof(T));
    return *static_cast<T*>(address);
  }

  std::vector<std::byte> bytes = testing::test_image("gnu");
};

TEST_F(CpuPlugin, DescribesItself) {
  EXPECT_EQ(__tgt_rtl_api_version(), GANTRY_PLUGIN_API_VERSION);
  EXPECT_EQ(__tgt_rtl_number_of_devices(), 1);
  EXPECT_THAT(__tgt_rtl_device_description(0), HasSubstr("cores"));
}

TEST_F(CpuPlugin, OptionsShapeADevice) {
  EXPECT_EQ(__tgt_rtl_capabilities(0),
            GANTRY_CAPABILITY_HOST_ACCESSIBLE | GANTRY_CAPABILITY_SHARES_MEMORY);
  EXPECT_EQ(__tgt_rtl_capabilities(1), GANTRY_CAPABILITY_HOST_ACCESSIBLE);
  for (const char* options : {"fast", "separate+separate", "+", "threads=limit+", "threads=2"}) {
    EXPECT_EQ(__tgt_rtl_init_device(2, 7, options), GANTRY_INVALID_OPTION);
    EXPECT_THAT(message(), HasSubstr(options));
  }
}

TEST_F(CpuPlugin, ADeviceThatIsOpenedAgainStaysWhatItIs) {
  constexpr std::int32_t kDevice = 3;
  ASSERT_EQ(__tgt_rtl_init_device(kDevice, 7, "separate"), GANTRY_SUCCESS);
  const Functions* const functions = &functions_of(kDevice);
  ASSERT_EQ(__tgt_rtl_init_device(kDevice, 8, ""), GANTRY_SUCCESS);
  EXPECT_EQ(openmp_number(kDevice), 7);
  EXPECT_EQ(__tgt_rtl_capabilities(kDevice), GANTRY_CAPABILITY_HOST_ACCESSIBLE);
  EXPECT_EQ(&functions_of(kDevice), functions) << "which images refer to";
}

TEST_F(CpuPlugin, AcceptsImagesOfThisMachine) {
  EXPECT_EQ(__tgt_rtl_is_valid_binary(bytes.data(), bytes.size()), 1);
  EXPECT_EQ(__tgt_rtl_is_valid_binary(bytes.data(), 20), 0);
  EXPECT_EQ(__tgt_rtl_is_valid_binary("", 0), 0);
}

TEST_F(CpuPlugin, RunsKernels) {
  gantry_image* image = load();
  int x = 40;
  launch(image, "add", &x, std::uintptr_t{2});
  EXPECT_EQ(x, 42);
  launch(image, "nothing");
  __tgt_rtl_destroy_image(image);
}

TEST_F(CpuPlugin, RunsKernelsOfAnyNumberOfParameters) {
  gantry_image* image = load();
  constexpr auto kOne = std::uintptr_t{1};
  std::uintptr_t sum = 0;
  launch(image, "sum_of_24", &sum, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne,
         kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, std::uintptr_t{100});
  EXPECT_EQ(sum, 4u * 15 + 1 + 2 + 300);
  launch(image, "sum_of_26", &sum, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne,
         kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne,
         std::uintptr_t{100});
  EXPECT_EQ(sum, 4u * 15 + 10 + 500);
  __tgt_rtl_destroy_image(image);
}

/// What the kernel saw: how often it was called, the teams and the threads of a team that were
/// asked for.
using Seen = std::array<unsigned, 3>;

TEST_F(CpuPlugin, RunsKernelsOfFlangsOnceForEachTeam) {
  gantry_image* image = load();
  gantry_kernel* kernel = nullptr;
  ASSERT_EQ(__tgt_rtl_find_kernel(image, "count_teams", &kernel), GANTRY_SUCCESS);
  const auto seen_with = [&](std::uint32_t teams, std::uint32_t limit) {
    Seen seen{};
    void* arguments[] = {&seen[0], &seen[1], &seen[2]};
    gantry_launch how{};
    how.arguments = arguments;
    how.argument_count = 3;
    how.num_teams[0] = teams;
    how.thread_limit[0] = limit;
    EXPECT_EQ(__tgt_rtl_launch_kernel(0, kernel, &how), GANTRY_SUCCESS) << message();
    return seen;
  };
  EXPECT_EQ(seen_with(3, 0), (Seen{3, 3, 7})); // the limit of its source
  EXPECT_EQ(seen_with(2, 5), (Seen{2, 2, 5}));
  EXPECT_EQ(seen_with(0, 0), (Seen{1, 0, 7}));
  EXPECT_EQ(seen_with(0xFFFFFFFF, 0), (Seen{1, 1, 7})); // a construct without teams
  __tgt_rtl_destroy_image(image);
}

TEST_F(CpuPlugin, FurtherDimensionsOfALeagueAreRefused) {
  gantry_image* image = load();
  gantry_kernel* kernel = nullptr;
  ASSERT_EQ(__tgt_rtl_find_kernel(image, "nothing", &kernel), GANTRY_SUCCESS);
  gantry_launch shape = {};
  shape.num_teams[0] = 2;
  shape.num_teams[1] = shape.thread_limit[2] = 1;
  EXPECT_EQ(__tgt_rtl_launch_kernel(0, kernel, &shape), GANTRY_SUCCESS);
  shape.num_teams[1] = 3;
  EXPECT_EQ(__tgt_rtl_launch_kernel(0, kernel, &shape), GANTRY_FAILURE);
  EXPECT_THAT(message(), HasSubstr("a grid of (2, 3, 1) teams of (1, 1, 1) threads"));
  shape.num_teams[1] = 0;
  shape.thread_limit[2] = 4;
  EXPECT_EQ(__tgt_rtl_launch_kernel(0, kernel, &shape), GANTRY_FAILURE);
  EXPECT_THAT(message(), HasSubstr("a grid of (2, 1, 1) teams of (1, 1, 4) threads"));
  __tgt_rtl_destroy_image(image);
}

TEST_F(CpuPlugin, AnImageKnowsItsDevice) {
  for (const std::int32_t device : {0, 1}) {
    gantry_image* image = load(device);
    int number = -1;
    launch(image, "device_number", &number);
    EXPECT_EQ(number, 5 + device);
    __tgt_rtl_destroy_image(image);
  }
}

TEST_F(CpuPlugin, EveryImageHasVariablesOfItsOwn) {
  gantry_image* first = load();
  gantry_image* second = load();
  using Table = long[4];
  variable<Table>(first, "table")[0] = 77;
  EXPECT_EQ(variable<Table>(second, "table")[0], 1);
  __tgt_rtl_destroy_image(first);
  __tgt_rtl_destroy_image(second);
}

TEST_F(CpuPlugin, ConstructorsRunOnceHoweverManyThreadsLoad) {
  gantry_image* image = nullptr;
  ASSERT_EQ(__tgt_rtl_create_image(0, bytes.data(), bytes.size(), nullptr, &image), GANTRY_SUCCESS);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(__tgt_rtl_load_image(image), GANTRY_SUCCESS); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(variable<int>(image, "loads"), 1);
  __tgt_rtl_destroy_image(image);
}

TEST_F(CpuPlugin, LoadingLeavesNothingBehind) {
  const auto descriptors = [] {
    const std::filesystem::directory_iterator open("/proc/self/fd");
    return std::distance(begin(open), end(open));
  };
  __tgt_rtl_destroy_image(load());
  const auto before = descriptors();
  for (int i = 0; i < 50; ++i) {
    __tgt_rtl_destroy_image(load());
  }
  gantry_image* never_loaded = nullptr;
  ASSERT_EQ(__tgt_rtl_create_image(0, bytes.data(), bytes.size(), nullptr, &never_loaded),
            GANTRY_SUCCESS);
  __tgt_rtl_destroy_image(never_loaded);
  EXPECT_EQ(descriptors(), before);
}

TEST_F(CpuPlugin, LeavesACopyForDebuggers) {
  const std::string file = ::testing::TempDir() + "gantry-image-" + std::to_string(getpid());
  __tgt_rtl_destroy_image(load(0, file.c_str()));
  EXPECT_EQ(std::filesystem::file_size(file), bytes.size());
  // One that an earlier process left is replaced: process numbers come again.
  __tgt_rtl_destroy_image(load(0, file.c_str()));
  std::filesystem::remove(file);
  gantry_image* image = nullptr;
  const std::string nowhere = file + "/image";
  EXPECT_EQ(__tgt_rtl_create_image(0, bytes.data(), bytes.size(), nowhere.c_str(), &image),
            GANTRY_FAILURE);
  EXPECT_THAT(message(), HasSubstr(nowhere));
}

TEST_F(CpuPlugin, WhatAnImageLacksIsNotFound) {
  gantry_image* image = load();
  gantry_kernel* kernel = nullptr;
  void* address = nullptr;
  std::uint64_t size = 0;
  for (const char* name : {"absent", "", "table"}) {
    EXPECT_EQ(__tgt_rtl_find_kernel(image, name, &kernel), GANTRY_NOT_FOUND) << name;
  }
  for (const char* name : {"absent", "", "add"}) {
    EXPECT_EQ(__tgt_rtl_find_variable(image, name, &address, &size), GANTRY_NOT_FOUND) << name;
  }
  __tgt_rtl_destroy_image(image);
}

TEST_F(CpuPlugin, DamagedImagesAreRefused) {
  gantry_image* image = nullptr;
  for (const std::size_t size : {std::size_t{64}, std::size_t{512}, bytes.size() / 2}) {
    EXPECT_EQ(__tgt_rtl_create_image(0, bytes.data(), size, nullptr, &image), GANTRY_FAILURE);
    EXPECT_THAT(message(), HasSubstr("the device image is damaged"));
  }
}

TEST_F(CpuPlugin, AnImageThatTheLoaderRefusesIsAnError) {
  // The loader looks at the version of the format; the plugin does not.
  gantry_image* image = nullptr;
  bytes[6] = std::byte{9}; // EI_VERSION
  ASSERT_EQ(__tgt_rtl_create_image(0, bytes.data(), bytes.size(), nullptr, &image), GANTRY_SUCCESS);
  EXPECT_EQ(__tgt_rtl_load_image(image), GANTRY_FAILURE);
  EXPECT_THAT(message(), HasSubstr("the device image does not load: "));
  __tgt_rtl_destroy_image(image);
}

TEST_F(CpuPlugin, MemoryIsAlignedAndCopied) {
  void* memory = nullptr;
  ASSERT_EQ(__tgt_rtl_data_alloc(1, 100, &memory), GANTRY_SUCCESS);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
  const int value = 5;
  int back = 0;
  ASSERT_EQ(__tgt_rtl_data_submit(1, memory, &value, sizeof value), GANTRY_SUCCESS);
  ASSERT_EQ(__tgt_rtl_data_retrieve(1, &back, memory, sizeof back), GANTRY_SUCCESS);
  EXPECT_EQ(back, 5);
  ASSERT_EQ(__tgt_rtl_data_delete(1, memory), GANTRY_SUCCESS);
}

TEST_F(CpuPlugin, MemoryRunsOutWithAMessage) {
  void* memory = nullptr;
  EXPECT_EQ(__tgt_rtl_data_alloc(1, 1ull << 60, &memory), GANTRY_OUT_OF_MEMORY);
  EXPECT_THAT(message(), HasSubstr("1152921504606846976 bytes"));
}

} // namespace
} // namespace gantry::cpu
