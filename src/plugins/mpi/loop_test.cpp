#include "plugins/mpi/node/loop.h"

#include "plugins/last_error.h"
#include "plugins/mpi/entries.h"
#include "plugins/mpi/testing/fake_devices.h"
#include "plugins/mpi/testing/simulated_nodes.h"
#include "plugins/mpi/testing/threaded_job.h"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::mpi {
namespace {

/// Two nodes, each with a loop, and a program whose threads use them at once.
class Loops : public testing::Test {
protected:
  Loops() : network_(3) {
    fake_devices() = {};
    auto program = network_.transport(0);
    std::vector<std::unique_ptr<RemoteNode>> remote;
    for (int i = 1; i <= kNodes; ++i) {
      remote.push_back(std::make_unique<RemoteNode>(*program, i, fmt::format("host{}", i)));
      nodes_.emplace_back([this, i] {
        const auto transport = network_.transport(i);
        FakePlugins plugins;
        Loop loop;
        Node node(*transport, 0, plugins, loop);
        const Status outcome = loop.work(node);
        EXPECT_TRUE(outcome) << outcome.error().message;
      });
    }
    job_ = std::make_unique<Job>(std::move(program), std::move(remote), 60'000'000'000);
    Job::adopt(job_.get());
    std::int32_t added = 0;
    EXPECT_EQ(entries::add_devices("fake", 0, &added), GANTRY_SUCCESS) << plugins::last_error();
  }
  ~Loops() override {
    EXPECT_TRUE(job_->leave());
    for (std::thread& node : nodes_) {
      node.join();
    }
    Job::adopt(nullptr);
    forget_devices();
    EXPECT_EQ(fake_devices().open, 0) << "something is left";
    fake_devices() = {};
  }

  static constexpr int kNodes = 2;
  ThreadedJob network_;
  std::vector<std::thread> nodes_;
  std::unique_ptr<Job> job_;
};

/// Kernels of all lengths, so that the lead changes in every way.
TEST_F(Loops, WorkWhoeverLeads) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 200;
  fake_devices().at_launch = [] {
    thread_local std::mt19937 random(std::random_device{}());
    constexpr unsigned kLengths[] = {0, 0, 20, 60, 150, 400};
    if (const unsigned length = kLengths[random() % std::size(kLengths)]; length > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(length));
    }
  };
  struct Place {
    gantry_device* device;
    gantry_image* image;
    gantry_kernel* add;
  };
  std::vector<Place> places;
  for (int i = 0; i < kNodes; ++i) {
    const gantry_device_settings settings = {.size = sizeof settings, .options = ""};
    gantry_device* device = nullptr;
    ASSERT_EQ(entries::open_device(i, &settings, &device), GANTRY_SUCCESS);
    gantry_image* const image = SimulatedNodes::load(device);
    places.push_back({device, image, SimulatedNodes::kernel(image, "add")});
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const Place& own = places[static_cast<std::size_t>(t % kNodes)];
      const Place& other = places[static_cast<std::size_t>((t + 1) % kNodes)];
      gantry_queue* queue = nullptr;
      ASSERT_EQ(entries::create_queue(own.device, &queue), GANTRY_SUCCESS);
      for (int round = 0; round < kRounds; ++round) {
        void* const number = SimulatedNodes::allocate(own.device, sizeof(int));
        void* const copy = SimulatedNodes::allocate(other.device, sizeof(int));
        int value = round;
        int result = 0;
        ASSERT_EQ(entries::queue_copy_to_device(queue, number, &value, sizeof value),
                  GANTRY_SUCCESS);
        ASSERT_EQ(SimulatedNodes::put_add(queue, own.add, number, t), GANTRY_SUCCESS);
        ASSERT_EQ(entries::queue_copy_between(queue, number, other.device, copy, sizeof(int)),
                  GANTRY_SUCCESS);
        ASSERT_EQ(entries::synchronize_queue(queue), GANTRY_SUCCESS) << plugins::last_error();
        ASSERT_EQ(entries::copy_to_host(other.device, &result, copy, sizeof result),
                  GANTRY_SUCCESS);
        ASSERT_EQ(result, round + t);
        ASSERT_EQ(entries::release(own.device, number), GANTRY_SUCCESS);
        ASSERT_EQ(entries::release(other.device, copy), GANTRY_SUCCESS);
      }
      ASSERT_EQ(entries::destroy_queue(queue), GANTRY_SUCCESS);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(fake_devices().launches, kThreads * kRounds);
  for (const Place& place : places) {
    EXPECT_EQ(entries::destroy_image(place.image), GANTRY_SUCCESS);
    EXPECT_EQ(entries::close_device(place.device), GANTRY_SUCCESS);
  }
}

} // namespace
} // namespace gantry::mpi
