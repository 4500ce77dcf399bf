// The cpu plugin by its table, with real images.
#include "plugins/cpu/entries.h"
#include "plugins/cpu/testing/test_image.h"

#include <array>
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
  return plugin().error_message();
}

gantry_status open(std::int32_t number, const char* options, gantry_device** device) {
  gantry_device_settings settings = {
      .size = sizeof settings, .openmp_number = number, .options = options};
  return entries::open_device(0, &settings, device);
}

std::uint32_t capabilities(gantry_device* device) {
  gantry_device_properties properties = {.size = sizeof properties};
  EXPECT_EQ(entries::get_properties(device, &properties), GANTRY_SUCCESS);
  return properties.capabilities;
}

gantry_symbol find(gantry_image* image, const char* name, std::int32_t kind) {
  gantry_symbol symbol = {.name = name, .kind = kind};
  EXPECT_EQ(entries::find_symbols(image, &symbol, 1), symbol.status);
  return symbol;
}

gantry_kernel* find_kernel(gantry_image* image, const char* name) {
  const gantry_symbol symbol = find(image, name, GANTRY_SYMBOL_KERNEL);
  EXPECT_EQ(symbol.status, GANTRY_SUCCESS) << message();
  return symbol.kernel;
}

/// A device that shares the host's memory, and one that does not; OpenMP calls them 5 and 6.
struct CpuPlugin : ::testing::Test {
  void SetUp() override {
    ASSERT_EQ(open(5, "", &sharing), GANTRY_SUCCESS);
    ASSERT_EQ(open(6, "separate", &separate), GANTRY_SUCCESS);
  }
  void TearDown() override {
    for (gantry_image* const image : images) {
      EXPECT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
    }
    EXPECT_EQ(entries::close_device(sharing), GANTRY_SUCCESS);
    EXPECT_EQ(entries::close_device(separate), GANTRY_SUCCESS);
  }

  /// An image that is destroyed at the end of the test.
  gantry_image* create(gantry_device* device, const char* file = nullptr) {
    gantry_image* image = nullptr;
    EXPECT_EQ(entries::create_image(device, bytes.data(), bytes.size(), file, &image),
              GANTRY_SUCCESS)
        << message();
    images.push_back(image);
    return image;
  }
  gantry_image* load() { return load(sharing); }
  gantry_image* load(gantry_device* device, const char* file = nullptr) {
    gantry_image* const image = create(device, file);
    EXPECT_EQ(entries::load_image(image), GANTRY_SUCCESS) << message();
    return image;
  }
  void destroy_last() {
    EXPECT_EQ(entries::destroy_image(images.back()), GANTRY_SUCCESS);
    images.pop_back();
  }

  template <typename... Values>
  void launch(gantry_image* image, const char* name, Values... values) {
    gantry_kernel* const kernel = find_kernel(image, name);
    void* arguments[] = {reinterpret_cast<void*>(values)..., nullptr};
    gantry_launch how{};
    how.size = sizeof how;
    how.arguments = arguments;
    how.argument_count = sizeof...(values);
    EXPECT_EQ(entries::launch(sharing, kernel, &how), GANTRY_SUCCESS) << message();
  }

  template <typename T>
  static T& variable(gantry_image* image, const char* name) {
    const gantry_symbol symbol = find(image, name, GANTRY_SYMBOL_VARIABLE);
    EXPECT_EQ(symbol.status, GANTRY_SUCCESS) << message();
    EXPECT_EQ(symbol.bytes, sizeof(T));
    return *static_cast<T*>(symbol.address);
  }

  gantry_device* sharing = nullptr;
  gantry_device* separate = nullptr;
  std::vector<gantry_image*> images;
  std::vector<std::byte> bytes = testing::test_image("gnu");
};

TEST_F(CpuPlugin, DescribesItself) {
  EXPECT_EQ(plugin().version, GANTRY_PLUGIN_VERSION);
  std::int32_t count = 0;
  EXPECT_EQ(plugin().count_devices(&count), GANTRY_SUCCESS);
  EXPECT_EQ(count, 1);
  gantry_device_properties properties = {.size = sizeof properties};
  EXPECT_EQ(entries::get_properties(sharing, &properties), GANTRY_SUCCESS);
  EXPECT_THAT(properties.description, HasSubstr("cores"));
}

TEST_F(CpuPlugin, OptionsShapeADevice) {
  EXPECT_EQ(capabilities(sharing),
            GANTRY_CAPABILITY_HOST_ACCESSIBLE | GANTRY_CAPABILITY_SHARES_MEMORY);
  EXPECT_EQ(capabilities(separate), GANTRY_CAPABILITY_HOST_ACCESSIBLE);
  gantry_device* none = nullptr;
  for (const char* options : {"fast", "separate+separate", "+", "threads=limit+", "threads=2"}) {
    EXPECT_EQ(open(7, options, &none), GANTRY_INVALID_OPTION);
    EXPECT_THAT(message(), HasSubstr(options));
  }
  EXPECT_EQ(none, nullptr);
}

TEST_F(CpuPlugin, AcceptsImagesOfThisMachine) {
  EXPECT_EQ(entries::accepts_image(bytes.data(), bytes.size()), 1);
  EXPECT_EQ(entries::accepts_image(bytes.data(), 20), 0);
  EXPECT_EQ(entries::accepts_image("", 0), 0);
}

TEST_F(CpuPlugin, RunsKernels) {
  gantry_image* image = load();
  int x = 40;
  launch(image, "add", &x, std::uintptr_t{2});
  EXPECT_EQ(x, 42);
  launch(image, "nothing");
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
}

/// What the kernel saw: how often it was called, the teams and the threads of a team that were
/// asked for.
using Seen = std::array<unsigned, 3>;

TEST_F(CpuPlugin, RunsKernelsOfFlangsOnceForEachTeam) {
  gantry_image* image = load();
  gantry_kernel* const kernel = find_kernel(image, "count_teams");
  const auto seen_with = [&](std::uint32_t teams, std::uint32_t limit) {
    Seen seen{};
    void* arguments[] = {&seen[0], &seen[1], &seen[2]};
    gantry_launch how{};
    how.arguments = arguments;
    how.argument_count = 3;
    how.num_teams[0] = teams;
    how.thread_limit[0] = limit;
    EXPECT_EQ(entries::launch(sharing, kernel, &how), GANTRY_SUCCESS) << message();
    return seen;
  };
  EXPECT_EQ(seen_with(3, 0), (Seen{3, 3, 7})); // the limit of its source
  EXPECT_EQ(seen_with(2, 5), (Seen{2, 2, 5}));
  EXPECT_EQ(seen_with(0, 0), (Seen{1, 0, 7}));
  EXPECT_EQ(seen_with(1, 0), (Seen{1, 1, 7}));
}

TEST_F(CpuPlugin, FurtherDimensionsOfALeagueAreRefused) {
  gantry_image* image = load();
  gantry_kernel* const kernel = find_kernel(image, "nothing");
  gantry_launch shape = {};
  shape.num_teams[0] = 2;
  shape.num_teams[1] = shape.thread_limit[2] = 1;
  EXPECT_EQ(entries::launch(sharing, kernel, &shape), GANTRY_SUCCESS);
  shape.num_teams[1] = 3;
  EXPECT_EQ(entries::launch(sharing, kernel, &shape), GANTRY_FAILURE);
  EXPECT_THAT(message(), HasSubstr("a grid of (2, 3, 1) teams of (1, 1, 1) threads"));
  shape.num_teams[1] = 0;
  shape.thread_limit[2] = 4;
  EXPECT_EQ(entries::launch(sharing, kernel, &shape), GANTRY_FAILURE);
  EXPECT_THAT(message(), HasSubstr("a grid of (2, 1, 1) teams of (1, 1, 4) threads"));
}

TEST_F(CpuPlugin, AnImageKnowsItsDevice) {
  for (const auto& [device, expected] : {std::pair(sharing, 5), std::pair(separate, 6)}) {
    gantry_image* image = load(device);
    int number = -1;
    launch(image, "device_number", &number);
    EXPECT_EQ(number, expected);
  }
}

TEST_F(CpuPlugin, EveryImageHasVariablesOfItsOwn) {
  gantry_image* first = load();
  gantry_image* second = load();
  using Table = long[4];
  variable<Table>(first, "table")[0] = 77;
  EXPECT_EQ(variable<Table>(second, "table")[0], 1);
}

TEST_F(CpuPlugin, ConstructorsRunOnceHoweverManyThreadsLoad) {
  gantry_image* const image = create(sharing);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(entries::load_image(image), GANTRY_SUCCESS); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(variable<int>(image, "loads"), 1);
}

TEST_F(CpuPlugin, LoadingLeavesNothingBehind) {
  const auto descriptors = [] {
    const std::filesystem::directory_iterator open("/proc/self/fd");
    return std::distance(begin(open), end(open));
  };
  load();
  destroy_last();
  const auto before = descriptors();
  for (int i = 0; i < 50; ++i) {
    load();
    destroy_last();
  }
  create(sharing); // and never load it
  destroy_last();
  EXPECT_EQ(descriptors(), before);
}

TEST_F(CpuPlugin, LeavesACopyForDebuggers) {
  const std::string file = ::testing::TempDir() + "gantry-image-" + std::to_string(getpid());
  load(sharing, file.c_str());
  EXPECT_EQ(std::filesystem::file_size(file), bytes.size());
  // One that an earlier process left is replaced: process numbers come again.
  load(sharing, file.c_str());
  std::filesystem::remove(file);
  gantry_image* image = nullptr;
  const std::string nowhere = file + "/image";
  EXPECT_EQ(entries::create_image(sharing, bytes.data(), bytes.size(), nowhere.c_str(), &image),
            GANTRY_FAILURE);
  EXPECT_THAT(message(), HasSubstr(nowhere));
}

TEST_F(CpuPlugin, WhatAnImageLacksIsNotFound) {
  gantry_image* image = load();
  for (const char* name : {"absent", "", "table"}) {
    EXPECT_EQ(find(image, name, GANTRY_SYMBOL_KERNEL).status, GANTRY_NOT_FOUND) << name;
  }
  for (const char* name : {"absent", "", "add"}) {
    EXPECT_EQ(find(image, name, GANTRY_SYMBOL_VARIABLE).status, GANTRY_NOT_FOUND) << name;
  }
  // One call for many: the first that is absent is the result, the others are found.
  gantry_symbol symbols[] = {{.name = "add", .kind = GANTRY_SYMBOL_KERNEL},
                             {.name = "absent", .kind = GANTRY_SYMBOL_VARIABLE},
                             {.name = "away", .kind = GANTRY_SYMBOL_KERNEL},
                             {.name = "table", .kind = GANTRY_SYMBOL_VARIABLE}};
  EXPECT_EQ(entries::find_symbols(image, symbols, 4), GANTRY_NOT_FOUND);
  EXPECT_THAT(message(), HasSubstr("variable"));
  EXPECT_EQ(symbols[0].status, GANTRY_SUCCESS);
  EXPECT_NE(symbols[0].kernel, nullptr);
  EXPECT_EQ(symbols[2].status, GANTRY_NOT_FOUND);
  EXPECT_EQ(symbols[3].status, GANTRY_SUCCESS);
  EXPECT_EQ(symbols[3].bytes, sizeof(long[4]));
}

TEST_F(CpuPlugin, DamagedImagesAreRefused) {
  gantry_image* image = nullptr;
  for (const std::size_t size : {std::size_t{64}, std::size_t{512}, bytes.size() / 2}) {
    EXPECT_EQ(entries::create_image(sharing, bytes.data(), size, nullptr, &image), GANTRY_FAILURE);
    EXPECT_THAT(message(), HasSubstr("the device image is damaged"));
  }
}

TEST_F(CpuPlugin, AnImageThatTheLoaderRefusesIsAnError) {
  // The loader looks at the version of the format; the plugin does not.
  bytes[6] = std::byte{9}; // EI_VERSION
  gantry_image* const image = create(sharing);
  EXPECT_EQ(entries::load_image(image), GANTRY_FAILURE);
  EXPECT_THAT(message(), HasSubstr("the device image does not load: "));
}

TEST_F(CpuPlugin, MemoryIsAlignedAndCopied) {
  void* memory = nullptr;
  const gantry_allocation request = {.size = sizeof request, .bytes = 100, .alignment = 64};
  ASSERT_EQ(entries::allocate(separate, &request, &memory), GANTRY_SUCCESS);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
  const int value = 5;
  int back = 0;
  ASSERT_EQ(entries::copy_to_device(separate, memory, &value, sizeof value), GANTRY_SUCCESS);
  ASSERT_EQ(entries::copy_to_host(separate, &back, memory, sizeof back), GANTRY_SUCCESS);
  EXPECT_EQ(back, 5);
  ASSERT_EQ(entries::release(separate, memory), GANTRY_SUCCESS);
}

TEST_F(CpuPlugin, MemoryRunsOutWithAMessage) {
  void* memory = nullptr;
  const gantry_allocation request = {.size = sizeof request, .bytes = 1ULL << 60, .alignment = 64};
  EXPECT_EQ(entries::allocate(separate, &request, &memory), GANTRY_OUT_OF_MEMORY);
  EXPECT_THAT(message(), HasSubstr("1152921504606846976 bytes"));
}

} // namespace
} // namespace gantry::cpu
