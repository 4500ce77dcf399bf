// Threads whose own queue is of a device that has been closed.
#include "plugins/gpu/queues_of_thread.h"

#include "plugins/cuda/queue.h"
#include "plugins/cuda/testing/open_device.h"

#include <barrier>
#include <thread>
#include <vector>

namespace gantry::cuda {
namespace {

/// Copies a value to the device and back, in the calling thread's queue.
void use(gantry_device* device, unsigned value) {
  void* const memory = allocate(device, sizeof value);
  unsigned back = 0;
  EXPECT_EQ(entries::copy_to_device(device, memory, &value, sizeof value), GANTRY_SUCCESS)
      << plugins::last_error();
  EXPECT_EQ(entries::copy_to_host(device, &back, memory, sizeof back), GANTRY_SUCCESS)
      << plugins::last_error();
  EXPECT_EQ(back, value);
  EXPECT_EQ(&gpu::QueueOfThread(device->thread_queues).get()->device, device);
}

void close(gantry_device* device) {
  EXPECT_EQ(entries::close_device(device), GANTRY_SUCCESS) << plugins::last_error();
}

TEST(QueuesOfThreads, AThreadUsesTheDeviceThatIsOpenedAfterItsOwn) {
  constexpr int kRounds = 20;
  gantry_device* device = open_device();
  std::barrier turn(2);
  std::jthread user([&] {
    for (int i = 0; i < kRounds; ++i) {
      use(device, static_cast<unsigned>(i));
      turn.arrive_and_wait(); // the device is closed, and another opened
      turn.arrive_and_wait();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    turn.arrive_and_wait();
    use(device, 7);
    close(device);
    device = open_device();
    turn.arrive_and_wait();
  }
  user.join();
  close(device);
}

TEST(QueuesOfThreads, AThreadUsesTheDevicesThatAreLeft) {
  gantry_device* const first = open_device();
  gantry_device* const second = open_device();
  std::barrier turn(2);
  std::jthread user([&] {
    use(first, 1);
    use(second, 2);
    turn.arrive_and_wait();
    turn.arrive_and_wait();
    use(first, 3);
  });
  turn.arrive_and_wait();
  close(second);
  turn.arrive_and_wait();
  user.join();
  close(first);
}

TEST(QueuesOfThreads, AThreadEndsLaterThanItsDevice) {
  gantry_device* const device = open_device();
  std::barrier turn(2);
  std::jthread user([&] {
    use(device, 1);
    turn.arrive_and_wait();
    turn.arrive_and_wait();
  });
  turn.arrive_and_wait();
  close(device);
  turn.arrive_and_wait();
}

TEST(QueuesOfThreads, ThreadsEndWhileTheirDeviceIsClosed) {
  constexpr int kThreads = 24; // some of their queues are not kept
  for (int round = 0; round < 10; ++round) {
    gantry_device* const device = open_device();
    std::barrier turn(kThreads + 1);
    std::vector<std::jthread> users;
    for (unsigned i = 0; i < kThreads; ++i) {
      users.emplace_back([&, i] {
        use(device, i);
        turn.arrive_and_wait();
      });
    }
    turn.arrive_and_wait();
    close(device);
  }
}

} // namespace
} // namespace gantry::cuda
