// Which events a target region, a data construct and a device routine are told as, in which order,
// on devices with and without queues.
#include "runtime/core/events/events.h"

#include "runtime/core/constructs/data_construct.h"
#include "runtime/core/constructs/memory.h"
#include "runtime/core/constructs/target_region.h"
#include "runtime/core/runtime/runtime.h"
#include "runtime/testing/fake_plugin.h"
#include "runtime/testing/map_items.h"

#include <map>
#include <mutex>

#include <gmock/gmock.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kAll = ~0u;

/// Writes a word for each event. Events of all tests come here, since listeners stay.
class Recorder final : public EventListener {
public:
  void on(const ConstructBegin& event) override {
    EXPECT_NE(event.construct.id, 0u);
    add("begin", event.construct);
  }
  void on(const ConstructEnd& event) override { add("end", event.construct); }
  void on(const PresenceChange& event) override {
    constexpr const char* kWords[] = {"mapped", "present", "unmapped"};
    add(kWords[static_cast<int>(event.what)], event.construct);
    host = event.host;
    references = event.references;
  }
  void on(const Copied& event) override {
    constexpr const char* kWords[] = {"item", "private", "pointer", "routine"};
    add(std::string(event.to_device ? "to " : "from ") + kWords[static_cast<int>(event.what)],
        event.construct);
    under_way[event.id] = event.time;
    bytes += event.size;
  }
  void on(const Launched& event) override {
    add(std::string("launch ") + event.kernel, event.construct);
    under_way[event.id] = event.time;
  }
  void on(const Completion& event) override {
    add("done", event.construct);
    ASSERT_TRUE(under_way.contains(event.id)) << "of what was put in, once";
    EXPECT_GE(event.time, under_way[event.id]);
    under_way.erase(event.id);
    EXPECT_TRUE(event.queue == nullptr || event.queue == waited_for);
    if (event.on_device.end != 0) {
      EXPECT_NE(event.queue, nullptr);
      EXPECT_GE(event.on_device.begin, last_time) << "in order on the device";
      last_time = event.on_device.end;
    }
  }
  void on(const Waited& event) override {
    add("wait", event.construct);
    waited_for = event.queue;
    EXPECT_LE(event.begin, event.end);
  }
  void on(const Operation& event) override {
    constexpr const char* kWords[] = {"allocate",  "copy",         "release",
                                      "associate", "disassociate", "launch"};
    if (!event.begins) {
      EXPECT_EQ(event.note, open_operation) << "none begins within another";
      open_operation = 0;
      EXPECT_LE(event.began, event.time);
      EXPECT_TRUE(event.what != Operation::What::kAllocate || event.to_address != 0);
      return;
    }
    EXPECT_EQ(event.note, 0u);
    event.note = open_operation = event.id;
    operations.push_back(kWords[static_cast<int>(event.what)]);
    if (event.what != Operation::What::kLaunch) {
      operations.back() += fmt::format(" {}->{} {}", event.from, event.to, event.size);
    }
  }
  void on(const ImageLoaded& event) override {
    words.push_back("image " + std::to_string(event.kernels));
    EXPECT_LE(event.begin, event.end);
  }
  void on(const DeviceLost& event) override { words.push_back("lost " + event.device.label); }

  std::vector<std::string> words;
  std::vector<std::string> operations;
  std::uint64_t open_operation = 0;
  std::map<EventId, std::int64_t> under_way;
  const void* waited_for = nullptr;
  std::uint64_t last_time = 0;
  std::uintptr_t host = 0;
  std::uint64_t references = 0;
  std::uint64_t bytes = 0;
  const void* code = nullptr;

private:
  void add(std::string word, const Construct& construct) {
    // A listener may take any lock of its own, because none of the core is held.
    expect_no_lock("a listener is told");
    const std::lock_guard lock(mutex_);
    words.push_back(std::move(word));
    code = construct.code;
  }
  std::mutex mutex_;
};

Recorder& recorder() {
  static auto* const instance = new Recorder;
  return *instance;
}

struct Events : ::testing::TestWithParam<bool> {
  Events() {
    recorder().words.clear();
    recorder().operations.clear();
    recorder().last_time = 0;
  }
  ~Events() override { listen(recorder(), 0); }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  std::vector<std::string> take() { return std::exchange(recorder().words, {}); }

  FakePlugin plugin{testing::Memory::kSeparate, GetParam()};
  Device device{plugin.open(), ""};
  Kernel kernel{nullptr, nullptr, "k"};
  int x = 1;
};

void run(Device& device, const Kernel& kernel, Construct& construct, const MapItem& item) {
  TargetRegion region(device, kernel, construct);
  region.items.push_back(item);
  ASSERT_TRUE(region.start({}));
  ASSERT_TRUE(region.wait());
  ASSERT_TRUE(region.finish());
}

TEST_P(Events, OfATargetRegionComeInOrder) {
  listen(recorder(), kAll);
  Construct construct("target", nullptr, &x);
  run(device, kernel, construct, tofrom(x));
  if (GetParam()) {
    EXPECT_THAT(take(),
                ElementsAre("begin", "mapped", "to item", "wait", "done", "launch k", "wait",
                            "done", "from item", "wait", "done", "unmapped", "end"));
    EXPECT_GT(recorder().last_time, 0u) << "the device's clock";
  } else {
    EXPECT_THAT(take(), ElementsAre("begin", "mapped", "to item", "done", "launch k", "done",
                                    "from item", "done", "unmapped", "end"));
  }
  EXPECT_THAT(recorder().under_way, IsEmpty());
  EXPECT_EQ(recorder().host, reinterpret_cast<std::uintptr_t>(&x));
  EXPECT_EQ(recorder().code, &x);
}

TEST_P(Events, OfOperationsComeObjectByObject) {
  listen(recorder(), kAll);
  Construct construct("target");
  int y = 2;
  {
    TargetRegion region(device, kernel, construct);
    region.items.push_back(tofrom(x));
    region.items.push_back(tofrom(y));
    ASSERT_TRUE(region.start({}));
    ASSERT_TRUE(region.wait());
    ASSERT_TRUE(region.finish());
  }
  EXPECT_THAT(recorder().operations,
              ElementsAre("allocate -1->0 4", "copy -1->0 4", "allocate -1->0 4", "copy -1->0 4",
                          "launch", "copy 0->-1 4", "copy 0->-1 4", "release 0->-2 4",
                          "release 0->-2 4"));
  EXPECT_EQ(recorder().open_operation, 0u);
}

TEST_P(Events, OfDataConstructsTellWhatIsPresent) {
  listen(recorder(), static_cast<std::uint32_t>(Event::kPresence));
  const MapItem items[] = {to(x)};
  run_data_construct(device, {"target enter data"}, items, &DataEnvironment::enter);
  run_data_construct(device, {"target enter data"}, items, &DataEnvironment::enter);
  EXPECT_EQ(recorder().references, 2u);
  run_data_construct(device, {"target exit data"}, items, &DataEnvironment::exit);
  run_data_construct(device, {"target exit data"}, items, &DataEnvironment::exit);
  EXPECT_THAT(take(), ElementsAre("mapped", "present", "unmapped"));
}

TEST_P(Events, OfRoutinesHaveTheirBytes) {
  listen(recorder(), kAll);
  void* const there = allocate(&device, sizeof x, MemoryKind::kDevice).value();
  recorder().bytes = 0;
  const core::Memory host{nullptr, reinterpret_cast<std::byte*>(&x)};
  const core::Memory on_device{&device, static_cast<std::byte*>(there)};
  ASSERT_TRUE(perform(Copy{on_device, host, 0, 0, sizeof x}, {"omp_target_memcpy"}));
  ASSERT_TRUE(perform(Copy{host, on_device, 0, 0, sizeof x}, {"omp_target_memcpy"}));
  EXPECT_THAT(take(), ElementsAre("to routine", "done", "from routine", "done"));
  EXPECT_EQ(recorder().bytes, 2 * sizeof x);
  ASSERT_TRUE(release(on_device, MemoryKind::kDevice));
}

TEST_P(Events, OfAConstructAreThoseThatWereWantedWhenItBegan) {
  Construct before("target");
  listen(recorder(), kAll);
  run(device, kernel, before, tofrom(x));
  EXPECT_THAT(take(), IsEmpty());
  Construct during("target");
  listen(recorder(), 0);
  EXPECT_EQ(wanted_events.load(), 0u);
  run(device, kernel, during, tofrom(x));
  EXPECT_THAT(take(), IsEmpty()) << "nobody listens any more";
  EXPECT_EQ(before.id, 0u);
}

TEST_P(Events, OfAnItemThatFailsAreWholeAndTold) {
  listen(recorder(), kAll);
  Construct construct("target");
  plugin.fail_call(2); // the copy
  {
    TargetRegion region(device, kernel, construct);
    region.items.push_back(tofrom(x));
    EXPECT_FALSE(region.start({}));
  }
  const std::vector<std::string> words = take();
  EXPECT_EQ(words.front(), "begin");
  EXPECT_EQ(words.back(), "end");
  EXPECT_EQ(std::ranges::count(words, "done"), 0) << "what has failed is not done";
  EXPECT_EQ(std::ranges::count(words, "mapped"), 1);
  EXPECT_EQ(std::ranges::count(words, "unmapped"), 1) << "what is mapped no more is told";
  recorder().under_way.clear(); // what failed is not done
}

INSTANTIATE_TEST_SUITE_P(OfDevices, Events, ::testing::Bool(), [](const auto& info) {
  return info.param ? "WithQueues" : "WithoutQueues";
});

} // namespace
} // namespace gantry::core
