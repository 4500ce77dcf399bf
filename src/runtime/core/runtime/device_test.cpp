// Programs on a device: staged, loaded, published and withdrawn.
#include "runtime/core/runtime/device.h"

#include "runtime/core/runtime/runtime.h"
#include "runtime/testing/fake_plugin.h"

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::HasSubstr;

/// A program as a test describes it; its address is its descriptor.
struct TestProgram {
  std::vector<std::string> images;
  std::vector<ProgramEntry> entries;
  std::string error; ///< what decoding it says; empty: nothing
  bool unified_shared_memory = false;

  static Result<ProgramContents> decode(const void* descriptor) {
    const auto& program = *static_cast<const TestProgram*>(descriptor);
    if (!program.error.empty()) {
      return fail("{}", program.error);
    }
    ProgramContents contents;
    for (const std::string& image : program.images) {
      contents.images.push_back(std::as_bytes(std::span(image)));
    }
    contents.entries = program.entries;
    contents.unified_shared_memory = program.unified_shared_memory;
    return contents;
  }
};

ProgramEntry kernel(char& address, const char* name) {
  return {EntryKind::kKernel, &address, name, 0, nullptr};
}

template <typename T>
ProgramEntry variable(T& object, const char* name) {
  return {EntryKind::kVariable, &object, name, sizeof object, nullptr};
}

struct Programs : ::testing::Test {
  explicit Programs(testing::Memory memory = testing::Memory::kSeparate) : plugin(memory) {}

  void add(const TestProgram& program) { registry.add(&program, &program, TestProgram::decode); }

  /// As unregistration does it. The image goes with the result.
  std::shared_ptr<LoadedProgram> withdraw(const TestProgram& program) {
    return device.withdraw(registry.remove(&program));
  }
  void drop(const TestProgram& program) { withdraw(program); }

  Status load() { return device.ensure_loaded(registry); }

  std::string load_error() {
    const Status status = load();
    return status ? "" : status.error().message;
  }

  FakePlugin plugin;
  Registry registry;
  Device device{plugin.open(3), ""};
  char region = 0;
  char other_region = 0;
};

struct ProgramsInSharedMemory : Programs {
  ProgramsInSharedMemory() : Programs(testing::Memory::kShared) {}
};

TEST_F(Programs, NothingHappensUntilADeviceIsUsed) {
  const TestProgram program{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  add(program);
  EXPECT_EQ(plugin.counts.images_created, 0);
  EXPECT_EQ(device.find_kernel(&region), nullptr);
  ASSERT_TRUE(load());
  const Kernel* found = device.find_kernel(&region);
  ASSERT_NE(found, nullptr);
  EXPECT_STREQ(found->name, "k");
  ASSERT_TRUE(load());
  EXPECT_EQ(plugin.counts.images_created, 1);
  EXPECT_EQ(plugin.counts.images_loaded, 1);
  drop(program);
  EXPECT_EQ(device.find_kernel(&region), nullptr);
  EXPECT_EQ(plugin.live_images(), 0u);
}

TEST_F(Programs, TheFirstImageThatFitsIsTaken) {
  const TestProgram program{
      {"foreign", "fake image\nkernel k\n", "fake image\nbroken\n"}, {kernel(region, "k")}, ""};
  add(program);
  ASSERT_TRUE(load());
  EXPECT_EQ(plugin.counts.images_created, 1);
  drop(program);
}

TEST_F(Programs, WithoutAnImageThatFitsThereIsNothingToLoad) {
  const TestProgram program{{"foreign"}, {kernel(region, "k")}, ""};
  add(program);
  EXPECT_TRUE(load());
  EXPECT_EQ(device.find_kernel(&region), nullptr);
  drop(program);
}

TEST_F(Programs, ManyComeAndGo) {
  const TestProgram first{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  const TestProgram second{{"fake image\nkernel l\n"}, {kernel(other_region, "l")}, ""};
  add(first);
  for (int i = 0; i < 10; ++i) {
    add(second);
    ASSERT_TRUE(load());
    EXPECT_NE(device.find_kernel(&region), nullptr);
    EXPECT_NE(device.find_kernel(&other_region), nullptr);
    drop(second);
    EXPECT_EQ(device.find_kernel(&other_region), nullptr);
  }
  EXPECT_EQ(plugin.counts.images_loaded, 11);
  drop(first);
  drop(second); // unknown by now
}

TEST_F(Programs, VariablesArePresentWhileTheyAreLoaded) {
  int x[4] = {};
  const TestProgram program{{"fake image\nvariable x 16\n"}, {variable(x, "x")}, ""};
  add(program);
  ASSERT_TRUE(load());
  EXPECT_NE(device.data_environment().corresponding(x, sizeof x), nullptr);
  drop(program);
  EXPECT_EQ(device.data_environment().corresponding(x, 1), nullptr);
}

TEST_F(Programs, AKernelOfTwoProgramsIsHandedOver) {
  // An inline function: one address and name in both.
  const TestProgram first{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  const TestProgram second{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  add(first);
  ASSERT_TRUE(load());
  const Kernel* of_first = device.find_kernel(&region);
  add(second);
  ASSERT_TRUE(load());
  EXPECT_EQ(device.find_kernel(&region), of_first) << "the first one serves";
  drop(first);
  const Kernel* of_second = device.find_kernel(&region);
  ASSERT_NE(of_second, nullptr);
  EXPECT_NE(of_second, of_first);
  drop(second);
  EXPECT_EQ(device.find_kernel(&region), nullptr);
}

TEST_F(Programs, AKernelIsFoundThroughoutItsHandOver) {
  const TestProgram first{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  const TestProgram second{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  add(first);
  ASSERT_TRUE(load());
  std::atomic<bool> stop{false};
  std::atomic<int> missing{0};
  std::thread launcher([&] {
    while (!stop) {
      missing += device.find_kernel(&region) == nullptr ? 1 : 0;
    }
  });
  const TestProgram* served = &first;
  const TestProgram* next = &second;
  // The images stay: a module whose kernels others share is kept by the loader until they are gone.
  std::vector<std::shared_ptr<LoadedProgram>> withdrawn;
  for (int i = 0; i < 2000; ++i) {
    add(*next);
    EXPECT_TRUE(load());
    withdrawn.push_back(withdraw(*served));
    std::swap(served, next);
  }
  stop = true;
  launcher.join();
  EXPECT_EQ(missing, 0);
  drop(*served);
}

TEST_F(Programs, AVariableOfTwoProgramsStaysWithTheFirst) {
  int x = 0;
  const TestProgram first{{"fake image\nvariable x 4\n"}, {variable(x, "x")}, ""};
  const TestProgram second{{"fake image\nvariable x 4\n"}, {variable(x, "x")}, ""};
  add(first);
  add(second);
  ASSERT_TRUE(load());
  void* served = device.data_environment().corresponding(&x, 4);
  drop(second);
  EXPECT_EQ(device.data_environment().corresponding(&x, 4), served);
  drop(first);
  EXPECT_EQ(device.data_environment().corresponding(&x, 4), nullptr);
}

TEST_F(Programs, AVariableOfTwoProgramsIsHandedOver) {
  int x = 0;
  const TestProgram first{{"fake image\nvariable x 4\n"}, {variable(x, "x")}, ""};
  const TestProgram second{{"fake image\nvariable x 4\n"}, {variable(x, "x")}, ""};
  add(first);
  add(second);
  ASSERT_TRUE(load());
  drop(first);
  EXPECT_NE(device.data_environment().corresponding(&x, 4), nullptr);
  drop(second);
}

TEST_F(Programs, UnifiedVariablesGetTheHostsValue) {
  int object = 0;
  int* reference = &object;
  const TestProgram program{{"fake image\nvariable x_ref 8\n"},
                            {{EntryKind::kUnifiedVariable, &reference, "x_ref", 8, reference}},
                            ""};
  add(program);
  ASSERT_TRUE(load());
  EXPECT_EQ(plugin.counts.bytes_submitted, 8u);
  EXPECT_EQ(device.data_environment().corresponding(&reference, 8), nullptr);
  drop(program);
}

TEST_F(ProgramsInSharedMemory, LinkVariablesAreTheHostsUnderUnifiedSharedMemory) {
  int object = 0;
  int* reference = &object;
  for (const bool unified : {false, true}) {
    const TestProgram program{{"fake image\nvariable x_ref 8\n"},
                              {{EntryKind::kLink, &reference, "x_ref", 8}},
                              "",
                              unified};
    plugin.counts.bytes_submitted = 0;
    add(program);
    ASSERT_TRUE(load());
    EXPECT_EQ(plugin.counts.bytes_submitted, unified ? 8u : 0u);
    EXPECT_NE(device.data_environment().corresponding(&reference, 8), nullptr);
    drop(program);
  }
}

TEST_F(Programs, UnifiedSharedMemoryNeedsADeviceThatReadsTheHosts) {
  const TestProgram program{{"fake image\n"}, {}, "", true};
  add(program);
  EXPECT_THAT(load_error(), HasSubstr("requires unified_shared_memory, and this device cannot"));
  drop(program);
}

TEST_F(Programs, ErrorsNameTheEntry) {
  int x = 0;
  const struct {
    TestProgram program;
    const char* message;
  } cases[] = {
      {{{"fake image\nkernel k\n"}, {kernel(region, "absent")}, ""},
       "offload entry for the kernel 'absent' and its device image does not: no such kernel"},
      {{{"fake image\nkernel k\n"}, {variable(x, "x")}, ""},
       "offload entry for the variable 'x' and its device image does not: no such variable"},
      {{{"fake image\nvariable x 8\n"}, {variable(x, "x")}, ""},
       "the variable 'x' has 4 bytes on the host and 8 in the device image"},
      {{{"fake image\nbroken\n"}, {}, ""}, "the image is broken"},
      {{{}, {}, "the descriptor is odd"}, "the descriptor is odd"},
  };
  for (const auto& [program, message] : cases) {
    add(program);
    EXPECT_THAT(load_error(), HasSubstr(message));
    EXPECT_THAT(load_error(), HasSubstr(message)) << "the second time";
    drop(program);
    EXPECT_EQ(load_error(), "") << "once the program is gone";
    EXPECT_EQ(plugin.live_images(), 0u);
  }
}

TEST_F(Programs, EveryCallMayFail) {
  int x = 0;
  int* reference = &x;
  const TestProgram program{{"fake image\nkernel k\nvariable x 4\nvariable r 8\n"},
                            {kernel(region, "k"),
                             variable(x, "x"),
                             {EntryKind::kUnifiedVariable, &reference, "r", 8, reference}},
                            ""};
  int nth = 1;
  for (;; ++nth) {
    add(program);
    plugin.fail_call(nth);
    const std::string message = load_error();
    const bool failed = plugin.has_failed();
    plugin.fail_call(-1);
    EXPECT_EQ(message.find("injected failure") != std::string::npos, failed) << message;
    drop(program);
    ASSERT_EQ(plugin.live_images(), 0u);
    ASSERT_EQ(plugin.live_allocations(), 0u);
    if (!failed) {
      break;
    }
  }
  EXPECT_EQ(nth, 1 + 4) << "to create and to load the image, to find its symbols, to copy";
}

TEST_F(Programs, ThreadsLoadAtOnceAndOneImageComesOfIt) {
  const TestProgram program{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  for (int round = 0; round < 50; ++round) {
    add(program);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        EXPECT_TRUE(load());
        EXPECT_NE(device.find_kernel(&region), nullptr);
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
    drop(program);
  }
  EXPECT_EQ(plugin.counts.images_created, 50);
}

TEST_F(Programs, ComeAndGoWhileOtherThreadsLoadAndLaunch) {
  const TestProgram stable{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  add(stable);
  const Construct construct("target");
  std::atomic<bool> stop{false};
  std::vector<std::thread> launchers;
  for (int i = 0; i < 2; ++i) {
    launchers.emplace_back([&] {
      while (!stop) {
        EXPECT_TRUE(load());
        const Kernel* found = device.find_kernel(&region);
        ASSERT_NE(found, nullptr);
        EXPECT_TRUE(Queue(device.queues(), construct).launch(found->handle, {}));
      }
    });
  }
  int x = 0;
  const TestProgram other{
      {"fake image\nkernel l\nvariable x 4\n"}, {kernel(other_region, "l"), variable(x, "x")}, ""};
  for (int i = 0; i < 300; ++i) {
    add(other);
    EXPECT_TRUE(load());
    EXPECT_NE(device.find_kernel(&other_region), nullptr);
    drop(other);
  }
  stop = true;
  for (auto& launcher : launchers) {
    launcher.join();
  }
  drop(stable);
}

ProgramEntry function(std::uintptr_t host_address, const char* name) {
  return {EntryKind::kIndirectFunction, reinterpret_cast<void*>(host_address), name, 8, nullptr};
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;

TEST_F(Programs, FunctionsCalledByPointerMakeOneTable) {
  const TestProgram first{{"fake image\nfunction f 1\nfunction g 2\n"},
                          {function(0x300, "f"), function(0x100, "g")},
                          ""};
  // An inline function is in both, once; the first program's serves.
  const TestProgram second{{"fake image\nfunction f 11\nfunction h 3\n"},
                           {function(0x300, "f"), function(0x200, "h")},
                           ""};
  add(first);
  ASSERT_TRUE(load());
  EXPECT_THAT(plugin.functions, Optional(ElementsAre(Pair(0x100, 2), Pair(0x300, 1))));
  add(second);
  ASSERT_TRUE(load());
  EXPECT_THAT(plugin.functions,
              Optional(ElementsAre(Pair(0x100, 2), Pair(0x200, 3), Pair(0x300, 1))));
  drop(first);
  EXPECT_THAT(plugin.functions, Optional(ElementsAre(Pair(0x200, 3), Pair(0x300, 11))));
  drop(second);
  EXPECT_THAT(plugin.functions, Optional(IsEmpty()));
}

TEST_F(Programs, PlacesOfAVirtualTableThatCanBeAnObjectsPointer) {
  // The second table begins where the first one ends, which is a place of the first.
  const TestProgram program{
      {"fake image\nfunction table 5000\nfunction next 6000\n"},
      {{EntryKind::kIndirectTable, reinterpret_cast<void*>(0x118), "next", 16, nullptr},
       {EntryKind::kIndirectTable, reinterpret_cast<void*>(0x100), "table", 24, nullptr}},
      ""};
  add(program);
  ASSERT_TRUE(load());
  EXPECT_THAT(plugin.functions,
              Optional(ElementsAre(Pair(0x110, 5016), Pair(0x118, 5024), Pair(0x128, 6016))));
  drop(program);
}

TEST_F(Programs, WithoutFunctionsCalledByPointerThereIsNoTable) {
  const TestProgram program{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  add(program);
  ASSERT_TRUE(load());
  drop(program);
  EXPECT_FALSE(plugin.functions.has_value());
}

TEST_F(Programs, APluginWithoutATableOfFunctionsRefusesAProgramThatNeedsIt) {
  gantry_plugin functions = plugin.plugin().functions();
  functions.set_function_map = nullptr;
  const Plugin without("plain", functions);
  Device other{PluginDevice::open(without, 0, {.openmp_number = 4}).value(), ""};
  const TestProgram plain{{"fake image\nkernel k\n"}, {kernel(region, "k")}, ""};
  add(plain);
  EXPECT_TRUE(other.ensure_loaded(registry)) << "nothing in it is called by pointer";
  const TestProgram program{{"fake image\nfunction f 1\n"}, {function(0x100, "f")}, ""};
  add(program);
  const Status status = other.ensure_loaded(registry);
  ASSERT_FALSE(status);
  EXPECT_THAT(
      status.error().message,
      HasSubstr("the program calls functions by pointer on the device ('f' is one), and the "
                "plugin 'plain' does not support that"));
  EXPECT_TRUE(status.error().of_device) << "the host may run the region";
  for (const TestProgram* each : {&plain, &program}) {
    (void)other.withdraw(registry.remove(each));
  }
}

/// Under OMP_TARGET_OFFLOAD=DEFAULT, which holds before settings are read.
TEST(Fallback, OfARegionThatMayHaveChangedWhatTheHostSeesThereIsNone) {
  FakePlugin shared{testing::Memory::kShared};
  Device device{shared.open(), ""};
  const Construct construct{"target", "test.cpp:7"};
  const Error refusal{"the kernel failed", true};
  Runtime& runtime = Runtime::instance();
  runtime.leave_to_host(device, refusal, construct);
  EXPECT_EXIT(runtime.leave_to_host(device, refusal, construct, Runtime::Begun::kPerhaps),
              ::testing::ExitedWithCode(1),
              "test.cpp:7: target: device 0 \\(fake\\): the kernel failed; the host cannot run the "
              "region again, because the device may have changed the host's memory");
  Runtime::leave_to_default_device(device, refusal, construct);
  EXPECT_EXIT(
      Runtime::leave_to_default_device(device, refusal, construct, Runtime::Begun::kPerhaps),
      ::testing::ExitedWithCode(1),
      "the kernel failed; the default device cannot run the region again, because this one may "
      "have changed the host's memory");
}

TEST(Fallback, OfARegionOnADeviceWithMemoryOfItsOwnIsStillPossible) {
  FakePlugin separate;
  Device device{separate.open(), ""};
  const Error refusal{"the kernel failed", true};
  const Construct construct{"target", "test.cpp:7"};
  Runtime::instance().leave_to_host(device, refusal, construct, Runtime::Begun::kPerhaps);
  Runtime::leave_to_default_device(device, refusal, construct, Runtime::Begun::kPerhaps);
  EXPECT_EXIT(Runtime::leave_to_default_device(device, Error{"the kernel is wrong"}, construct,
                                               Runtime::Begun::kPerhaps),
              ::testing::ExitedWithCode(1), "the kernel is wrong");
}

TEST_F(Programs, ADeviceNamesItself) {
  EXPECT_EQ(device.label(), "device 3 (fake)");
}

TEST(Registry, NumbersProgramsAndForgetsThem) {
  Registry registry;
  const int first = 0;
  const int second = 0;
  const auto start = registry.generation();
  registry.add(&first, &first, TestProgram::decode);
  registry.add(&second, &second, TestProgram::decode);
  EXPECT_EQ(registry.generation(), start + 2);
  EXPECT_EQ(registry.remove(&first), 1u);
  EXPECT_TRUE(Registry::Held(registry, 1).empty());
  EXPECT_FALSE(Registry::Held(registry, 2).empty());
  EXPECT_EQ(registry.remove(&first), 0u);
  EXPECT_EQ(Registry::Held(registry).programs().size(), 1u);
  EXPECT_FALSE(registry.empty());
  EXPECT_EQ(registry.remove(&second), 2u);
  EXPECT_TRUE(registry.empty());
}

TEST(Registry, KeepsProgramsThatAreHeld) {
  Registry registry;
  const int first = 0;
  const int second = 0;
  registry.add(&first, &first, TestProgram::decode);
  registry.add(&second, &second, TestProgram::decode);
  auto held = std::make_unique<Registry::Held>(registry, 1);
  EXPECT_EQ(registry.remove(&second), 2u) << "nobody has that one";
  auto removing = std::async(std::launch::async, [&] { return registry.remove(&first); });
  EXPECT_EQ(removing.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  EXPECT_TRUE(Registry::Held(registry, 1).empty()) << "what is about to go is not held again";
  held.reset();
  EXPECT_EQ(removing.get(), 1u);
}

} // namespace
} // namespace gantry::core
