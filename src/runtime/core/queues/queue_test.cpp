#include "runtime/core/queues/queue.h"

#include "runtime/testing/environment_case.h"

#include <chrono>
#include <deque>
#include <thread>

#include <gmock/gmock.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using ::testing::HasSubstr;

struct Queues : ::testing::Test {
  const Construct construct{"target"};
  Queues() { storage = plugin.device().allocate(sizeof(int)).value(); }
  ~Queues() override { EXPECT_TRUE(plugin.device().release(storage)); }

  [[nodiscard]] int on_device() { return plugin.read<int>(storage); }

  FakePlugin plugin{Memory::kSeparate, true};
  QueuePool pool{plugin.device()};
  void* storage = nullptr;
};

TEST_F(Queues, HoldWhatIsPutInUntilTheHostWaits) {
  int value = 1;
  int back = 0;
  Queue queue(pool, construct);
  EXPECT_FALSE(queue.busy());
  ASSERT_TRUE(queue.submit(storage, &value, sizeof value));
  ASSERT_TRUE(queue.retrieve(&back, storage, sizeof back));
  EXPECT_TRUE(queue.busy());
  EXPECT_EQ(back, 0);
  ASSERT_TRUE(queue.synchronize());
  EXPECT_FALSE(queue.busy());
  EXPECT_EQ(back, 1);
}

TEST_F(Queues, TellWhenAllIsDone) {
  const int values[] = {1, 2};
  Queue queue(pool, construct);
  EXPECT_TRUE(queue.done());
  ASSERT_TRUE(queue.submit(storage, &values[0], sizeof(int)));
  ASSERT_TRUE(queue.submit(storage, &values[1], sizeof(int)));
  EXPECT_FALSE(queue.done());
  EXPECT_TRUE(queue.done());
  EXPECT_EQ(on_device(), 2);
  ASSERT_TRUE(queue.synchronize());
  EXPECT_EQ(plugin.counts.synchronizations, 0) << "there was nothing left to wait for";
}

TEST_F(Queues, AnswerTheFirstFailureOnceAndAreAsNew) {
  const int values[] = {1, 2};
  for (const bool asked : {false, true}) {
    Queue queue(pool, construct);
    ASSERT_TRUE(queue.submit(storage, &values[0], sizeof(int)));
    ASSERT_TRUE(queue.submit(storage, &values[1], sizeof(int)));
    plugin.fail_call(1);
    if (asked) {
      EXPECT_TRUE(queue.done()) << "nothing is going on in it any more";
    }
    const Status status = queue.synchronize();
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("injected failure of copy_to_device"));
    EXPECT_TRUE(status.error().of_device);
    EXPECT_TRUE(queue.synchronize());
    ASSERT_TRUE(queue.submit(storage, &values[0], sizeof(int)));
    ASSERT_TRUE(queue.synchronize());
    EXPECT_EQ(on_device(), 1);
  }
}

TEST_F(Queues, OfNoUseForLongAreDestroyed) {
  constexpr std::chrono::milliseconds kPatience{50};
  QueuePool impatient{plugin.device(), kPatience};
  const int value = 1;
  const auto use_at_once = [&](std::size_t count) {
    std::deque<Queue> all;
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(all.emplace_back(impatient, construct).submit(storage, &value, sizeof value));
    }
  };
  use_at_once(8);
  EXPECT_EQ(plugin.live_queues(), 8u);
  use_at_once(8);
  EXPECT_EQ(plugin.live_queues(), 8u) << "nothing is old yet";
  std::this_thread::sleep_for(2 * kPatience);
  use_at_once(1);
  EXPECT_EQ(plugin.live_queues(), 1u);
  EXPECT_EQ(on_device(), 1);
}

TEST_F(Queues, AreUsedAgain) {
  const int value = 1;
  for (int i = 0; i < 3; ++i) {
    Queue queue(pool, construct);
    ASSERT_TRUE(queue.submit(storage, &value, sizeof value));
  }
  EXPECT_EQ(plugin.live_queues(), 1u);
  EXPECT_EQ(on_device(), 1) << "the end of a queue waits for it";
}

TEST_F(Queues, AreOneForEachConstructAtWork) {
  const int values[] = {1, 2};
  Queue first(pool, construct);
  Queue second(pool, construct);
  ASSERT_TRUE(first.submit(storage, &values[0], sizeof(int)));
  ASSERT_TRUE(second.submit(storage, &values[1], sizeof(int)));
  EXPECT_EQ(plugin.live_queues(), 2u);
  ASSERT_TRUE(second.synchronize());
  EXPECT_EQ(on_device(), 2) << "what is in another queue is not waited for";
  ASSERT_TRUE(first.synchronize());
  EXPECT_EQ(on_device(), 1);
}

TEST_F(Queues, ThatCannotBeCreatedAreAnError) {
  const int value = 1;
  Queue queue(pool, construct);
  plugin.fail_call(1);
  const Status status = queue.submit(storage, &value, sizeof value);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("injected failure of create_queue"));
  EXPECT_TRUE(queue.synchronize());
}

TEST(Direct, CopiesThatAreWaitedForNeedNoQueue) {
  const Construct construct("target");
  FakePlugin plugin{Memory::kSeparate, true, true};
  QueuePool pool{plugin.device()};
  void* storage = plugin.device().allocate(sizeof(int)).value();
  const int values[] = {1, 2, 3};
  int back = 0;
  {
    Queue queue(pool, construct);
    ASSERT_TRUE(queue.submit(storage, &values[0], sizeof(int), Queue::Wait::kAtOnce));
    EXPECT_FALSE(queue.busy());
    EXPECT_EQ(plugin.read<int>(storage), 1);
    ASSERT_TRUE(queue.retrieve(&back, storage, sizeof back, Queue::Wait::kAtOnce));
    EXPECT_EQ(back, 1);
    EXPECT_EQ(plugin.live_queues(), 0u);

    ASSERT_TRUE(queue.submit(storage, &values[1], sizeof(int)));
    ASSERT_TRUE(queue.retrieve(&back, storage, sizeof back, Queue::Wait::kAtOnce));
    EXPECT_EQ(back, 1) << "it comes behind what is in the queue";
    ASSERT_TRUE(queue.synchronize());
    EXPECT_EQ(back, 2);

    plugin.fail_call(1);
    const Status status = queue.submit(storage, &values[2], sizeof(int), Queue::Wait::kAtOnce);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("injected failure of copy_to_device"));
    EXPECT_TRUE(queue.synchronize());
  }
  EXPECT_TRUE(plugin.device().release(storage));
}

TEST(Synchronous, DevicesAreDoneAtOnce) {
  const Construct construct("target");
  FakePlugin plugin{Memory::kSeparate, false};
  QueuePool pool{plugin.device()};
  void* storage = plugin.device().allocate(sizeof(int)).value();
  const int value = 1;
  Queue queue(pool, construct);
  ASSERT_TRUE(queue.submit(storage, &value, sizeof value));
  EXPECT_FALSE(queue.busy());
  EXPECT_EQ(plugin.read<int>(storage), 1);
  EXPECT_TRUE(queue.done());
  EXPECT_TRUE(queue.synchronize());
  EXPECT_TRUE(plugin.device().release(storage));
}

} // namespace
} // namespace gantry::core
