// Constructs of several threads on one device: who waits for whom, and that nothing gets lost.
#include "runtime/testing/environment_case.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include <link.h>

namespace gantry::core {
namespace {

using namespace core::testing;
using namespace std::chrono_literals;

/// Holds up the copies of one host address.
class Gate {
public:
  Gate(FakePlugin& plugin, const void* host) {
    plugin.before_copy = [this, host](const void* copied) {
      if (copied == host) {
        std::unique_lock lock(mutex_);
        reached_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return open_; });
      }
    };
  }
  /// Returns when a copy is held up.
  void wait_until_reached() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return reached_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
  bool open_ = false;
};

/// A thread that has the dynamic loader's lock.
class InsideLoader {
public:
  InsideLoader() { reached_.get_future().wait(); }
  void leave() { leave_.set_value(); }

private:
  static int stay(dl_phdr_info*, std::size_t, void* data) {
    auto& inside = *static_cast<InsideLoader*>(data);
    inside.reached_.set_value();
    inside.leave_.get_future().wait();
    return 1;
  }

  std::promise<void> reached_;
  std::promise<void> leave_;
  std::future<int> thread_ =
      std::async(std::launch::async, [this] { return dl_iterate_phdr(stay, this); });
};

struct Concurrency : EnvironmentCase {
  static bool waits(const std::future<bool>& construct) {
    return construct.wait_for(50ms) == std::future_status::timeout;
  }
  template <typename Action>
  static std::future<bool> in_a_thread(const Action& action) {
    return std::async(std::launch::async, [action] { return static_cast<bool>(action()); });
  }
};

TEST_F(Concurrency, WhoMapsTheSameObjectWaitsForItsCopyAndForNothingElse) {
  int x = 1;
  int y = 2;
  Gate gate(plugin, &x);
  auto first = in_a_thread([&] { return enter({to(x)}); });
  gate.wait_until_reached();
  auto second = in_a_thread([&] { return enter({to(x)}); });
  EXPECT_TRUE(waits(second));
  EXPECT_TRUE(enter({to(y)}));
  EXPECT_TRUE(update({to(y)}));
  EXPECT_TRUE(exit({release(y)}));
  EXPECT_TRUE(present(x));
  gate.open();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
  EXPECT_EQ(plugin.counts.bytes_submitted, 3 * sizeof(int)) << "one of the two copies x";
  ASSERT_TRUE(exit({release(x)}));
  EXPECT_TRUE(present(x));
  ASSERT_TRUE(exit({release(x)}));
  EXPECT_FALSE(present(x));
}

TEST_F(Concurrency, StorageThatGoesIsNotFoundWhileItIsCopiedBack) {
  int x = 1;
  int y = 2;
  ASSERT_TRUE(enter({to(x), to(y)}));
  plugin.write(corresponding(x), 5);
  Gate gate(plugin, &x);
  auto leaving = in_a_thread([&] { return exit({from(x), release(y)}); });
  gate.wait_until_reached();
  auto entering = in_a_thread([&] { return enter({to(x)}); });
  auto other = in_a_thread([&] { return enter({alloc(y)}); });
  EXPECT_TRUE(waits(entering));
  EXPECT_TRUE(waits(other));
  gate.open();
  EXPECT_TRUE(leaving.get());
  EXPECT_TRUE(entering.get());
  EXPECT_TRUE(other.get());
  EXPECT_EQ(x, 5);
  EXPECT_EQ(on_device(x), 5) << "new storage holds what was copied back";
  EXPECT_EQ(plugin.counts.allocations, 4);
  ASSERT_TRUE(exit({release(x), release(y)}));
}

TEST_F(Concurrency, AnUpdateKeepsTheStorageItCopies) {
  int x = 1;
  ASSERT_TRUE(enter({to(x)}));
  Gate gate(plugin, &x);
  auto updating = in_a_thread([&] { return update({to(x)}); });
  gate.wait_until_reached();
  auto leaving = in_a_thread([&] { return exit({release(x)}); });
  EXPECT_TRUE(waits(leaving));
  gate.open();
  EXPECT_TRUE(updating.get());
  EXPECT_TRUE(leaving.get());
  EXPECT_FALSE(present(x));
}

TEST_F(Concurrency, AnUpdateWaitsForTheCopiesOfOthers) {
  int array[4] = {1, 2, 3, 4};
  Gate gate(plugin, array);
  auto mapping = in_a_thread([&] { return enter({to(array)}); });
  gate.wait_until_reached();
  MapItem part = section(array, 2, 1);
  part.from = true;
  auto updating = in_a_thread([&] { return update({part}); });
  EXPECT_TRUE(waits(updating)) << "nothing is on the device yet";
  gate.open();
  EXPECT_TRUE(mapping.get());
  EXPECT_TRUE(updating.get());
  EXPECT_EQ(array[2], 3);
  ASSERT_TRUE(exit({release(array)}));
}

TEST_F(Concurrency, APointeeIsAwaitedThatGoesPartly) {
  int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int* pointer = values;
  MapItem half = section(values, 4, 4);
  half.from = true;
  ASSERT_TRUE(enter({half}));
  plugin.write(corresponding(values[4]), 50);
  Gate gate(plugin, &values[4]);
  auto leaving = in_a_thread([&] { return exit({half}); });
  gate.wait_until_reached();
  auto entering = in_a_thread([&] { return enter({pointee(pointer, 8)}); });
  EXPECT_TRUE(waits(entering));
  gate.open();
  EXPECT_TRUE(leaving.get());
  ASSERT_TRUE(entering.get()) << "no part of it is mapped any more";
  EXPECT_EQ(on_device(values[4]), 50);
  ASSERT_TRUE(exit({pointee(pointer, 8)}));
}

TEST_F(Concurrency, StorageIsAssociatedWhenWhatGoesIsGone) {
  int x = 1;
  void* const storage_of_program = plugin.device().allocate(sizeof x).value();
  ASSERT_TRUE(enter({to(x)}));
  Gate gate(plugin, &x);
  auto leaving = in_a_thread([&] { return exit({from(x)}); });
  gate.wait_until_reached();
  auto associating =
      in_a_thread([&] { return environment.associate(&x, sizeof x, storage_of_program); });
  EXPECT_TRUE(waits(associating));
  gate.open();
  EXPECT_TRUE(leaving.get());
  EXPECT_TRUE(associating.get()) << "nothing is mapped there any more";
  EXPECT_EQ(corresponding(x), storage_of_program);
  ASSERT_TRUE(environment.disassociate(&x));
  ASSERT_TRUE(plugin.device().release(storage_of_program));
}

TEST_F(Concurrency, StorageStaysAssociatedWhileItIsCopied) {
  int x = 1;
  void* const storage_of_program = plugin.device().allocate(sizeof x).value();
  ASSERT_TRUE(environment.associate(&x, sizeof x, storage_of_program));
  Gate gate(plugin, &x);
  auto updating = in_a_thread([&] { return update({to(x)}); });
  gate.wait_until_reached();
  auto disassociating = in_a_thread([&] { return environment.disassociate(&x); });
  EXPECT_TRUE(waits(disassociating));
  gate.open();
  EXPECT_TRUE(updating.get());
  EXPECT_TRUE(disassociating.get());
  EXPECT_FALSE(present(x));
  EXPECT_EQ(plugin.read<int>(storage_of_program), 1);
  ASSERT_TRUE(plugin.device().release(storage_of_program));
}

TEST_F(Concurrency, AVariableIsDeclaredWhenWhatGoesIsGone) {
  int x = 1;
  void* const storage_of_image = plugin.device().allocate(sizeof x).value();
  ASSERT_TRUE(enter({to(x)}));
  Gate gate(plugin, &x);
  auto leaving = in_a_thread([&] { return exit({from(x)}); });
  gate.wait_until_reached();
  auto declaring =
      in_a_thread([&] { return environment.declare(&x, sizeof x, storage_of_image, "x"); });
  EXPECT_TRUE(waits(declaring));
  gate.open();
  EXPECT_TRUE(leaving.get());
  EXPECT_TRUE(declaring.get()) << "nothing is mapped there any more";
  EXPECT_EQ(corresponding(x), storage_of_image);
  environment.undeclare(&x, storage_of_image);
  ASSERT_TRUE(plugin.device().release(storage_of_image));
}

TEST_F(Concurrency, AVariableStaysDeclaredWhileItIsCopied) {
  int x = 1;
  void* const storage_of_image = plugin.device().allocate(sizeof x).value();
  ASSERT_TRUE(environment.declare(&x, sizeof x, storage_of_image, "x"));
  Gate gate(plugin, &x);
  auto updating = in_a_thread([&] { return update({to(x)}); });
  gate.wait_until_reached();
  auto undeclaring = in_a_thread([&] {
    environment.undeclare(&x, storage_of_image);
    return true;
  });
  EXPECT_TRUE(waits(undeclaring));
  gate.open();
  EXPECT_TRUE(updating.get());
  EXPECT_TRUE(undeclaring.get());
  EXPECT_FALSE(present(x));
  EXPECT_EQ(plugin.read<int>(storage_of_image), 1);
  ASSERT_TRUE(plugin.device().release(storage_of_image));
}

TEST_F(Concurrency, WhoAsksForStorageWaitsForItsAllocation) {
  int x = 1;
  std::promise<void> reached;
  std::promise<void> open;
  plugin.before_allocation = [&] {
    reached.set_value();
    open.get_future().wait();
  };
  auto entering = in_a_thread([&] { return enter({to(x)}); });
  reached.get_future().wait();
  auto asking = in_a_thread([&] { return present(x); });
  EXPECT_TRUE(waits(asking));
  open.set_value();
  EXPECT_TRUE(entering.get());
  EXPECT_TRUE(asking.get());
  plugin.before_allocation = nullptr;
  ASSERT_TRUE(exit({release(x)}));
}

/// A thread inside the dynamic loader may wait for a construct of another: both would wait for ever
/// if a construct waited for the loader with the data environment's lock.
TEST_F(Concurrency, NobodyWaitsForTheDynamicLoaderWithTheLock) {
  static const int constants[4] = {1, 2, 3, 4};
  static const int associated[4] = {1, 2, 3, 4};
  environment.note_modules();
  void* const storage_of_program = plugin.device().allocate(sizeof associated).value();
  const std::vector<std::function<bool()>> calls = {
      [&] { return enter({to(constants)}).has_value(); },
      [&] {
        return environment.associate(associated, sizeof associated, storage_of_program).has_value();
      },
      [&] {
        environment.note_modules();
        return true;
      },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE(i);
    InsideLoader loader;
    auto waiting = in_a_thread(calls[i]);
    EXPECT_TRUE(waits(waiting)) << "a library may come or go";
    int x = 1;
    auto other = in_a_thread([&] { return enter({to(x)}) && exit({release(x)}); });
    EXPECT_EQ(other.wait_for(10s), std::future_status::ready);
    loader.leave();
    EXPECT_TRUE(other.get());
    EXPECT_TRUE(waiting.get());
  }
  ASSERT_TRUE(environment.disassociate(associated));
  ASSERT_TRUE(exit({release(constants)}));
  ASSERT_TRUE(plugin.device().release(storage_of_program));
}

/// Meanwhile other threads wait for their turn to load programs, perhaps inside the loader.
TEST_F(Concurrency, AConstantIsDeclaredWithoutTheDynamicLoader) {
  static const int declared[4] = {1, 2, 3, 4};
  environment.note_modules();
  void* const storage_of_image = plugin.device().allocate(sizeof declared).value();
  InsideLoader loader;
  auto declaring = in_a_thread(
      [&] { return environment.declare(declared, sizeof declared, storage_of_image, "declared"); });
  EXPECT_EQ(declaring.wait_for(10s), std::future_status::ready);
  loader.leave();
  EXPECT_TRUE(declaring.get());
  ASSERT_TRUE(update({from(declared)}));
  EXPECT_EQ(plugin.counts.retrieves, 0) << "it cannot be written";
  environment.undeclare(declared, storage_of_image);
  ASSERT_TRUE(plugin.device().release(storage_of_image));
}

TEST_F(Concurrency, CapturesAreAttachedWhenOthersFindThem) {
  int array[4] = {1, 2, 3, 4};
  struct {
    int* captured;
  } lambda{array};
  MapItem capture;
  capture.kind = MapKind::kCapture;
  capture.base = bytes_of(lambda.captured);
  capture.begin = bytes_of(array);
  capture.size = sizeof lambda.captured;
  capture.parent = 1;
  ASSERT_TRUE(enter({to(lambda)}));
  Gate gate(plugin, array);
  auto first =
      in_a_thread([&] { return enter_target({to(array), alloc(lambda), capture}).has_value(); });
  gate.wait_until_reached();
  auto second = in_a_thread([&] { return enter({alloc(lambda)}); });
  EXPECT_TRUE(waits(second)) << "its pointer is not attached yet";
  gate.open();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
  EXPECT_EQ(on_device(lambda).captured, corresponding(array));
  ASSERT_TRUE(exit({remove(lambda), remove(array)}));
}

TEST_F(Concurrency, PointersAreAttachedWhenOthersFindThem) {
  int values[4] = {1, 2, 3, 4};
  int* pointer = values;
  Gate gate(plugin, values);
  auto first =
      in_a_thread([&] { return enter({to(values), alloc(pointer), attachment(pointer)}); });
  gate.wait_until_reached();
  auto second = in_a_thread([&] { return enter({alloc(pointer)}); });
  EXPECT_TRUE(waits(second)) << "its pointer is not attached yet";
  gate.open();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
  EXPECT_EQ(on_device(pointer), corresponding(values));
  ASSERT_TRUE(exit({release(pointer), release(values)}));
  ASSERT_TRUE(exit({release(pointer)}));
}

TEST_F(Concurrency, CrossedConstructsDoNotWaitForEachOtherForEver) {
  int a = 1;
  int b = 2;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 200; ++i) {
        const Items items =
            thread % 2 == 0 ? Items{tofrom(a), tofrom(b)} : Items{tofrom(b), tofrom(a)};
        EXPECT_TRUE(enter(items));
        EXPECT_TRUE(exit(items));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(plugin.live_allocations(), 0u);
}

TEST_F(Concurrency, NothingIsLostHoweverConstructsMix) {
  constexpr int kThreads = 4;
  constexpr int kShared = 4;
  std::vector<std::vector<int>> shared(kShared, std::vector<int>(16, 7));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::minstd_rand random(static_cast<unsigned>(thread) + 1);
      int own[8] = {};
      int expected = 0;
      for (int i = 0; i < 300; ++i) {
        std::vector<int>& other = shared[random() % kShared];
        MapItem constant;
        constant.base = constant.begin = bytes_of(other[0]);
        constant.size = other.size() * sizeof(int);
        constant.to = true;
        ASSERT_TRUE(enter({constant, tofrom(own)}));
        // What a kernel would do.
        EXPECT_EQ(plugin.read<int>(corresponding(other[15])), 7);
        const int before = plugin.read<int>(corresponding(own[3]));
        EXPECT_EQ(before, expected);
        plugin.write(corresponding(own[3]), ++expected);
        if (random() % 2 == 0) {
          MapItem part = section(own, 3, 1);
          part.from = true;
          ASSERT_TRUE(update({part}));
          EXPECT_EQ(own[3], expected);
        }
        ASSERT_TRUE(exit({constant, tofrom(own)}));
        EXPECT_EQ(own[3], expected);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(plugin.live_allocations(), 0u);
}

} // namespace
} // namespace gantry::core
