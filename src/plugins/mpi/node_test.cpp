// The plugin and nodes, over a network that is simulated: what goes over it is counted.
#include "plugins/last_error.h"
#include "plugins/mpi/entries.h"
#include "plugins/mpi/testing/simulated_nodes.h"

#include <memory>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::mpi {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kLatency = 10'000;

class Nodes : public testing::Test {
protected:
  ~Nodes() override {
    nodes_.reset();
    EXPECT_EQ(fake_devices().open, 0) << "something is left";
    fake_devices() = {};
  }

  void start(int nodes) {
    nodes_ = std::make_unique<SimulatedNodes>(
        nodes, Network{.latency = kLatency, .bytes_per_nanosecond = 10});
    network_ = &nodes_->network();
    ASSERT_EQ(nodes_->add_devices(), GANTRY_SUCCESS) << plugins::last_error();
  }
  gantry_device* open(std::int32_t index = 0) {
    gantry_device* const device = nodes_->open(index);
    EXPECT_NE(device, nullptr) << plugins::last_error();
    return device;
  }
  static gantry_image* load(gantry_device* device, std::string_view text = kFakeImage) {
    gantry_image* const image = SimulatedNodes::load(device, text);
    EXPECT_NE(image, nullptr) << plugins::last_error();
    return image;
  }
  static gantry_kernel* kernel(gantry_image* image, const char* name) {
    gantry_kernel* const kernel = SimulatedNodes::kernel(image, name);
    EXPECT_NE(kernel, nullptr) << plugins::last_error();
    return kernel;
  }
  static void* allocate(gantry_device* device, std::uint64_t bytes) {
    void* const address = SimulatedNodes::allocate(device, bytes);
    EXPECT_NE(address, nullptr) << plugins::last_error();
    return address;
  }
  static gantry_status put_add(gantry_queue* queue, gantry_kernel* kernel, void* number, int more) {
    return SimulatedNodes::put_add(queue, kernel, number, more);
  }

  std::unique_ptr<SimulatedNodes> nodes_;
  SimulatedJob* network_ = nullptr;
};

/// Kinds of devices: without queues, whose memory is the process's, and with.
class Kinds : public Nodes, public testing::WithParamInterface<std::uint32_t> {
protected:
  Kinds() {
    fake_devices().capabilities = GetParam();
    fake_devices().queries = 3;
  }
};

TEST_P(Kinds, CopyAllSizesAndLaunch) {
  start(2);
  gantry_device* const device = open(1);
  gantry_image* const image = load(device);
  gantry_kernel* const add = kernel(image, "add");
  gantry_queue* queue = nullptr;
  ASSERT_EQ(entries::create_queue(device, &queue), GANTRY_SUCCESS);
  for (const std::size_t size : {1UL, 4UL, 65536UL, 65537UL, 3UL << 20, (5UL << 20) + 7}) {
    std::vector<int> sent(size / sizeof(int) + 1);
    std::iota(sent.begin(), sent.end(), static_cast<int>(size));
    std::vector<int> back(sent.size());
    const std::uint64_t bytes = sent.size() * sizeof(int);
    void* const memory = allocate(device, bytes);
    ASSERT_EQ(entries::queue_copy_to_device(queue, memory, sent.data(), bytes), GANTRY_SUCCESS);
    ASSERT_EQ(put_add(queue, add, memory, 5), GANTRY_SUCCESS);
    ASSERT_EQ(entries::queue_copy_to_host(queue, back.data(), memory, bytes), GANTRY_SUCCESS);
    ASSERT_EQ(entries::synchronize_queue(queue), GANTRY_SUCCESS) << plugins::last_error();
    sent[0] += 5;
    ASSERT_EQ(back, sent) << bytes;
    sent[0] = 77;
    ASSERT_EQ(entries::copy_to_device(device, memory, sent.data(), bytes), GANTRY_SUCCESS);
    ASSERT_EQ(entries::copy_to_host(device, back.data(), memory, bytes), GANTRY_SUCCESS);
    ASSERT_EQ(back, sent) << bytes;
    ASSERT_EQ(entries::release(device, memory), GANTRY_SUCCESS);
  }
  ASSERT_EQ(entries::destroy_queue(queue), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_image(image), GANTRY_SUCCESS) << plugins::last_error();
}

TEST_P(Kinds, TellTheFirstFailureAndGoOn) {
  start(1);
  gantry_device* const device = open();
  gantry_image* const image = load(device);
  gantry_kernel* const add = kernel(image, "add");
  gantry_kernel* const fail = kernel(image, "fail");
  gantry_queue* queue = nullptr;
  ASSERT_EQ(entries::create_queue(device, &queue), GANTRY_SUCCESS);
  constexpr std::uint64_t kLarge = 4 << 20;
  void* const memory = allocate(device, kLarge);
  const int one = 1;
  int read = 0;
  std::vector<std::byte> large(kLarge, std::byte{9});
  ASSERT_EQ(entries::copy_to_device(device, memory, &one, sizeof one), GANTRY_SUCCESS);
  ASSERT_EQ(put_add(queue, add, memory, 1), GANTRY_SUCCESS);
  ASSERT_EQ(put_add(queue, fail, memory, 1), GANTRY_SUCCESS);
  // None of these happens, large or small.
  ASSERT_EQ(put_add(queue, add, memory, 10), GANTRY_SUCCESS);
  ASSERT_EQ(entries::queue_copy_to_device(queue, memory, large.data(), kLarge), GANTRY_SUCCESS);
  ASSERT_EQ(entries::queue_copy_to_host(queue, &read, memory, sizeof read), GANTRY_SUCCESS);
  ASSERT_EQ(entries::queue_copy_to_host(queue, large.data(), memory, kLarge), GANTRY_SUCCESS);
  ASSERT_EQ(entries::synchronize_queue(queue), GANTRY_FAILURE);
  EXPECT_THAT(plugins::last_error(), HasSubstr("node 1 (host1): the kernel has failed"));
  ASSERT_EQ(read, 0);
  ASSERT_EQ(large[0], std::byte{9});
  ASSERT_EQ(entries::synchronize_queue(queue), GANTRY_SUCCESS) << "the queue is as new";
  ASSERT_EQ(put_add(queue, add, memory, 100), GANTRY_SUCCESS);
  ASSERT_EQ(entries::queue_copy_to_host(queue, &read, memory, sizeof read), GANTRY_SUCCESS);
  std::int32_t done = 0;
  while (done == 0) {
    ASSERT_EQ(entries::query_queue(queue, &done), GANTRY_SUCCESS) << plugins::last_error();
  }
  ASSERT_EQ(read, 102);
  ASSERT_EQ(entries::release(device, memory), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_queue(queue), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
}

TEST_P(Kinds, LiveOnWhenCopiesHaveNoPlace) {
  start(2);
  gantry_device* const first = open(0);
  gantry_device* const last = open(1);
  constexpr std::uint64_t kBytes = (40 << 20) + 3;
  void* const memory = allocate(first, kBytes);
  auto* const wild = reinterpret_cast<void*>(std::uintptr_t{1} << 46);
  std::vector<std::byte> bytes(kBytes, std::byte{4});
  const auto is_refused = [](gantry_status status) {
    ASSERT_EQ(status, GANTRY_FAILURE);
    EXPECT_THAT(plugins::last_error(), HasSubstr("41943043 bytes at 0x400000000000"));
  };
  is_refused(entries::copy_to_device(first, wild, bytes.data(), kBytes));
  is_refused(entries::copy_to_host(first, bytes.data(), wild, kBytes));
  is_refused(entries::copy_between(first, wild, last, wild, kBytes));
  is_refused(entries::copy_between(first, memory, last, wild, kBytes));
  is_refused(entries::copy_between(last, wild, first, memory, kBytes));
  EXPECT_EQ(nodes_->broken(), "");
  ASSERT_EQ(entries::copy_to_device(first, memory, bytes.data(), kBytes), GANTRY_SUCCESS)
      << plugins::last_error();
  std::vector<std::byte> back(kBytes);
  ASSERT_EQ(entries::copy_to_host(first, back.data(), memory, kBytes), GANTRY_SUCCESS);
  EXPECT_EQ(back, bytes);
  ASSERT_EQ(entries::release(first, memory), GANTRY_SUCCESS);
}

TEST_P(Kinds, DoNotLaunchKernelsOfUnloadedImages) {
  start(1);
  gantry_device* const device = open();
  gantry_image* const image = load(device);
  gantry_kernel* const add = kernel(image, "add");
  gantry_queue* queue = nullptr;
  ASSERT_EQ(entries::create_queue(device, &queue), GANTRY_SUCCESS);
  void* const memory = allocate(device, sizeof(int));
  ASSERT_EQ(put_add(queue, add, memory, 1), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
  ASSERT_EQ(entries::synchronize_queue(queue), GANTRY_FAILURE);
  EXPECT_THAT(plugins::last_error(), HasSubstr("the kernel's image was unloaded before it ran"));
  ASSERT_EQ(entries::release(device, memory), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_queue(queue), GANTRY_SUCCESS);
}

TEST_P(Kinds, AreLostWithTheirFault) {
  start(1);
  gantry_device* const device = open();
  gantry_image* const image = load(device);
  gantry_queue* queue = nullptr;
  ASSERT_EQ(entries::create_queue(device, &queue), GANTRY_SUCCESS);
  ASSERT_EQ(put_add(queue, kernel(image, "end"), nullptr, 1), GANTRY_SUCCESS);
  ASSERT_EQ(entries::synchronize_queue(queue), GANTRY_DEVICE_LOST);
  EXPECT_THAT(plugins::last_error(), HasSubstr("node 1 (host1): the kernel has ended the device"));
  gantry_fault fault = {.size = sizeof fault};
  ASSERT_EQ(entries::get_fault(device, &fault), GANTRY_SUCCESS) << plugins::last_error();
  EXPECT_EQ(fault.kind, GANTRY_FAULT_ACCESS);
  EXPECT_EQ(fault.address, 0x1234);
  EXPECT_STREQ(fault.kernel_name, "end");
  int number = 1;
  EXPECT_EQ(entries::copy_to_device(device, &number, &number, sizeof number), GANTRY_DEVICE_LOST);
  (void)entries::destroy_queue(queue);
  (void)entries::destroy_image(image);
  EXPECT_EQ(entries::close_device(device), GANTRY_DEVICE_LOST);
  nodes_->forget(device);
}

TEST_P(Kinds, CopyToEachOtherWithoutTheProgram) {
  start(3);
  gantry_device* const first = open(0);
  gantry_device* const last = open(2);
  constexpr std::uint64_t kBytes = (3 << 20) + 5;
  const std::vector<std::byte> sent(kBytes, std::byte{7});
  std::vector<std::byte> back(kBytes);
  void* const from = allocate(first, kBytes);
  void* const to = allocate(last, kBytes);
  void* const near = allocate(first, kBytes);
  ASSERT_EQ(entries::copy_to_device(first, from, sent.data(), kBytes), GANTRY_SUCCESS);
  network_->forget();
  ASSERT_EQ(entries::copy_between(first, from, last, to, kBytes), GANTRY_SUCCESS)
      << plugins::last_error();
  EXPECT_EQ(network_->sent_by(0).transfer_bytes, 0);
  EXPECT_EQ(network_->sent_by(1).transfer_bytes, kBytes);
  EXPECT_EQ(network_->sent_by(2).messages, 0);
  ASSERT_EQ(entries::copy_to_host(last, back.data(), to, kBytes), GANTRY_SUCCESS);
  ASSERT_EQ(back, sent);
  ASSERT_EQ(entries::copy_between(first, from, first, near, kBytes), GANTRY_SUCCESS);
  back.assign(kBytes, {});
  ASSERT_EQ(entries::copy_to_host(first, back.data(), near, kBytes), GANTRY_SUCCESS);
  ASSERT_EQ(back, sent);
  for (const auto& [device, memory] : {std::pair(first, from), {last, to}, {first, near}}) {
    ASSERT_EQ(entries::release(device, memory), GANTRY_SUCCESS);
  }
}

TEST_P(Kinds, CopyToEachOtherBehindWhatAQueueHas) {
  start(3);
  gantry_device* const first = open(0);
  gantry_image* const image = load(first);
  gantry_queue* queue = nullptr;
  ASSERT_EQ(entries::create_queue(first, &queue), GANTRY_SUCCESS);
  void* const number = allocate(first, sizeof(int));
  std::vector<std::pair<gantry_device*, void*>> others;
  for (const int other : {1, 2, 1}) {
    gantry_device* const device = open(other);
    others.emplace_back(device, allocate(device, sizeof(int)));
  }
  for (int round = 0; round < 3; ++round) {
    const int value = 100 * round;
    ASSERT_EQ(entries::queue_copy_to_device(queue, number, &value, sizeof value), GANTRY_SUCCESS);
    for (const auto& [device, memory] : others) {
      ASSERT_EQ(put_add(queue, kernel(image, "add"), number, 1), GANTRY_SUCCESS);
      ASSERT_EQ(entries::queue_copy_between(queue, number, device, memory, sizeof(int)),
                GANTRY_SUCCESS);
    }
    std::int32_t done = 0;
    while (done == 0) {
      ASSERT_EQ(entries::query_queue(queue, &done), GANTRY_SUCCESS) << plugins::last_error();
    }
    int expected = value;
    for (const auto& [device, memory] : others) {
      int got = 0;
      ASSERT_EQ(entries::copy_to_host(device, &got, memory, sizeof got), GANTRY_SUCCESS);
      EXPECT_EQ(got, ++expected);
    }
  }
  int got = 0;
  const int value = 5;
  void* const near = allocate(first, sizeof(int));
  ASSERT_EQ(entries::queue_copy_to_device(queue, number, &value, sizeof value), GANTRY_SUCCESS);
  ASSERT_EQ(entries::queue_copy_between(queue, number, first, near, sizeof(int)), GANTRY_SUCCESS);
  ASSERT_EQ(put_add(queue, kernel(image, "add"), near, 1), GANTRY_SUCCESS);
  ASSERT_EQ(entries::queue_copy_to_host(queue, &got, near, sizeof got), GANTRY_SUCCESS);
  ASSERT_EQ(entries::synchronize_queue(queue), GANTRY_SUCCESS) << plugins::last_error();
  EXPECT_EQ(got, 6);
  ASSERT_EQ(entries::release(first, near), GANTRY_SUCCESS);
  // What is wrong at the other end is the queue's failure, after which it is as new.
  std::byte* const nowhere = static_cast<std::byte*>(others[0].second) + (1 << 30);
  ASSERT_EQ(entries::queue_copy_between(queue, number, others[0].first, nowhere, sizeof(int)),
            GANTRY_SUCCESS);
  EXPECT_EQ(entries::synchronize_queue(queue), GANTRY_FAILURE);
  EXPECT_THAT(plugins::last_error(), HasSubstr("are not memory that the device has given"));
  ASSERT_EQ(entries::queue_copy_between(queue, number, others[0].first, others[0].second, 4),
            GANTRY_SUCCESS);
  ASSERT_EQ(entries::synchronize_queue(queue), GANTRY_SUCCESS) << plugins::last_error();
  for (const auto& [device, memory] : others) {
    ASSERT_EQ(entries::release(device, memory), GANTRY_SUCCESS);
  }
  ASSERT_EQ(entries::release(first, number), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_queue(queue), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
}

TEST_P(Kinds, GoOnWhenTheOtherEndOfACopyIsLost) {
  start(3);
  gantry_device* const first = open(0);
  gantry_device* const middle = open(1);
  gantry_device* const last = open(2);
  constexpr std::uint64_t kBytes = 5 << 20;
  const std::vector<std::byte> sent(kBytes, std::byte{7});
  std::vector<std::byte> back(kBytes);
  void* const from = allocate(first, kBytes);
  void* const near = allocate(middle, kBytes);
  void* const far = allocate(last, kBytes);
  ASSERT_EQ(entries::copy_to_device(first, from, sent.data(), kBytes), GANTRY_SUCCESS);
  // Of the node that is lost the one queue's bytes go to it, the other's come from it.
  gantry_queue* to_it = nullptr;
  gantry_queue* from_it = nullptr;
  ASSERT_EQ(entries::create_queue(first, &to_it), GANTRY_SUCCESS);
  ASSERT_EQ(entries::create_queue(last, &from_it), GANTRY_SUCCESS);
  ASSERT_EQ(entries::queue_copy_between(to_it, from, last, far, kBytes), GANTRY_SUCCESS);
  ASSERT_EQ(entries::queue_copy_between(from_it, far, middle, near, kBytes), GANTRY_SUCCESS);
  std::int32_t done = 0;
  ASSERT_EQ(entries::query_queue(to_it, &done), GANTRY_SUCCESS);
  ASSERT_EQ(entries::query_queue(from_it, &done), GANTRY_SUCCESS);
  ASSERT_EQ(done, 0);
  network_->cut(last->node.process());
  last->node.lose("nothing was heard of it");
  EXPECT_EQ(entries::synchronize_queue(to_it), GANTRY_DEVICE_LOST);
  EXPECT_THAT(plugins::last_error(), HasSubstr("is lost: nothing was heard of it"));
  EXPECT_EQ(entries::synchronize_queue(from_it), GANTRY_DEVICE_LOST);
  EXPECT_THAT(plugins::last_error(), HasSubstr("is lost: nothing was heard of it"));
  EXPECT_EQ(entries::queue_copy_between(to_it, from, last, far, kBytes), GANTRY_DEVICE_LOST);
  // The two that are left work, with these queues too.
  ASSERT_EQ(entries::queue_copy_between(to_it, from, middle, near, kBytes), GANTRY_SUCCESS);
  ASSERT_EQ(entries::synchronize_queue(to_it), GANTRY_SUCCESS) << plugins::last_error();
  ASSERT_EQ(entries::copy_to_host(middle, back.data(), near, kBytes), GANTRY_SUCCESS);
  EXPECT_EQ(back, sent);
  EXPECT_EQ(nodes_->broken(), "");
  ASSERT_EQ(entries::release(first, from), GANTRY_SUCCESS);
  ASSERT_EQ(entries::release(middle, near), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_queue(to_it), GANTRY_SUCCESS);
  (void)entries::destroy_queue(from_it);
  EXPECT_EQ(entries::close_device(last), GANTRY_DEVICE_LOST);
  nodes_->forget(last);
}

INSTANTIATE_TEST_SUITE_P(All, Kinds,
                         testing::Values(GANTRY_CAPABILITY_HOST_ACCESSIBLE,
                                         GANTRY_CAPABILITY_QUEUES,
                                         GANTRY_CAPABILITY_QUEUES |
                                             GANTRY_CAPABILITY_CHECKED_MEMORY));

/// What a construct with so many arrays does; the time it takes, in round trips.
double region(const SimulatedJob& network, gantry_device* device, gantry_queue* queue,
              gantry_kernel* add, int arrays) {
  const std::uint64_t begin = network.now();
  std::vector<void*> memory;
  std::vector<int> values(static_cast<std::size_t>(arrays), 3);
  for (const int& value : values) {
    const gantry_allocation request = {
        .size = sizeof request, .bytes = sizeof value, .alignment = 64};
    EXPECT_EQ(entries::allocate(device, &request, &memory.emplace_back()), GANTRY_SUCCESS);
    EXPECT_EQ(entries::copy_to_device(device, memory.back(), &value, sizeof value), GANTRY_SUCCESS);
  }
  void* arguments[] = {memory.empty() ? nullptr : memory[0], reinterpret_cast<void*>(4)};
  const gantry_launch launch = {
      .size = sizeof launch, .argument_count = 2, .arguments = arguments, .num_teams = {1, 0, 0}};
  EXPECT_EQ(entries::queue_launch(queue, add, &launch), GANTRY_SUCCESS);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(entries::queue_copy_to_host(queue, &values[i], memory[i], sizeof(int)),
              GANTRY_SUCCESS);
  }
  EXPECT_EQ(entries::synchronize_queue(queue), GANTRY_SUCCESS) << plugins::last_error();
  for (void* const block : memory) {
    EXPECT_EQ(entries::release(device, block), GANTRY_SUCCESS);
  }
  if (!values.empty()) {
    EXPECT_EQ(values[0], 7);
  }
  return static_cast<double>(network.now() - begin) / (2 * kLatency);
}

TEST_F(Nodes, DoAConstructInOneRoundTrip) {
  start(1);
  gantry_device* const device = open();
  gantry_image* const image = load(device);
  gantry_kernel* const add = kernel(image, "add");
  gantry_kernel* const nothing = kernel(image, "nothing");
  gantry_queue* queue = nullptr;
  ASSERT_EQ(entries::create_queue(device, &queue), GANTRY_SUCCESS);
  EXPECT_NEAR(region(*network_, device, queue, nothing, 0), 1, 0.01);
  EXPECT_NEAR(region(*network_, device, queue, add, 16), 2, 0.05) << "memory is had for the first";
  for (const int arrays : {1, 16, 100}) {
    network_->forget();
    EXPECT_NEAR(region(*network_, device, queue, add, arrays), 1, 0.05);
    EXPECT_EQ(network_->sent_by(0).messages, 1) << arrays;
    EXPECT_EQ(network_->sent_by(1).messages, 1) << arrays;
  }
  ASSERT_EQ(entries::destroy_queue(queue), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
}

TEST_F(Nodes, LeaseMemoryThatIsWatchedOver) {
  fake_devices().capabilities |= GANTRY_CAPABILITY_CHECKED_MEMORY;
  start(1);
  gantry_device* const device = open();
  gantry_image* const image = load(device);
  gantry_kernel* const add = kernel(image, "add");
  gantry_queue* queue = nullptr;
  ASSERT_EQ(entries::create_queue(device, &queue), GANTRY_SUCCESS);
  EXPECT_LT(region(*network_, device, queue, add, 16), 6) << "first 2, then 4, 8, 16 are taken";
  (void)region(*network_, device, queue, add, 16);
  for (int i = 0; i < 20; ++i) {
    network_->forget();
    EXPECT_NEAR(region(*network_, device, queue, add, 16), 1, 0.05);
    EXPECT_LE(network_->sent().messages, 3);
  }
  ASSERT_EQ(entries::destroy_queue(queue), GANTRY_SUCCESS);
  ASSERT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
}

TEST_F(Nodes, RefuseWhatIsNotThere) {
  start(1);
  std::int32_t added = 0;
  EXPECT_EQ(entries::add_devices("none", 0, &added), GANTRY_NOT_FOUND);
  EXPECT_STREQ(plugins::last_error(), "node 1 (host1): 'none' is not installed there");
  EXPECT_EQ(entries::add_devices("fake", 2'000'000'000, &added), GANTRY_NOT_FOUND);
  EXPECT_THAT(plugins::last_error(), HasSubstr("a node has 1024 at most"));
  gantry_device* device = nullptr;
  const gantry_device_settings bad = {.size = sizeof bad, .options = "bad"};
  EXPECT_EQ(entries::open_device(0, &bad, &device), GANTRY_INVALID_OPTION);
  EXPECT_STREQ(plugins::last_error(), "node 1 (host1): 'bad' is not an option");
  EXPECT_EQ(entries::open_device(1, &bad, &device), GANTRY_INVALID_OPTION);
  fake_devices().memory = 1 << 20;
  device = open();
  const gantry_allocation request = {.size = sizeof request, .bytes = 2 << 20, .alignment = 64};
  void* address = nullptr;
  EXPECT_EQ(entries::allocate(device, &request, &address), GANTRY_OUT_OF_MEMORY);
  void* const block = allocate(device, 1 << 19);
  EXPECT_EQ(entries::release(device, static_cast<std::byte*>(block) + 64), GANTRY_FAILURE);
  EXPECT_EQ(entries::release(device, block), GANTRY_SUCCESS);
  int number = 1;
  EXPECT_EQ(entries::copy_to_host(device, &number, block, std::uint64_t{1} << 40), GANTRY_FAILURE);
  EXPECT_THAT(plugins::last_error(), HasSubstr("are not memory that the device has given"));
  gantry_image* image = nullptr;
  ASSERT_EQ(entries::create_image(device, "no", 2, nullptr, &image), GANTRY_SUCCESS);
  EXPECT_EQ(entries::load_image(image), GANTRY_FAILURE);
  EXPECT_STREQ(plugins::last_error(), "node 1 (host1): it is no image");
  EXPECT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
}

TEST_F(Nodes, GetTablesOfFunctionsOfAnySize) {
  start(1);
  gantry_device* const device = open();
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{4096}, std::size_t{10'000}, std::size_t{0}}) {
    std::vector<__omp_offloading_fptr_map_ty> table(count);
    fake_devices().functions = 77;
    ASSERT_EQ(entries::set_function_map(device, table.data(), count), GANTRY_SUCCESS)
        << plugins::last_error();
    ASSERT_EQ(fake_devices().functions, count);
  }
}

TEST_F(Nodes, SayLaterWhatIsWrongWithWhatNobodyWaitsFor) {
  start(1);
  gantry_device* const device = open();
  const int number = 1;
  ASSERT_EQ(entries::copy_to_device(device, reinterpret_cast<void*>(64), &number, sizeof number),
            GANTRY_SUCCESS);
  nodes_->settle();
  ASSERT_EQ(entries::copy_to_device(device, reinterpret_cast<void*>(64), &number, sizeof number),
            GANTRY_FAILURE);
  EXPECT_STREQ(plugins::last_error(),
               "node 1 (host1): 4 bytes at 0x40 are not memory that the device has given");
}

TEST_F(Nodes, AThousandGetAnImageInATreeAndRunARegion) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the simulated job has one thread, and ThreadSanitizer takes minutes for it";
#endif
#endif
  constexpr int kNodes = 1000;
  start(kNodes);
  EXPECT_EQ(network_->sent().messages, 2 * kNodes) << "to ask for their devices";
  std::vector<gantry_device*> devices;
  for (int i = 0; i < kNodes; ++i) {
    devices.push_back(open(i));
  }
  const std::string text = std::string(kFakeImage) + std::string(1 << 20, ' ');
  network_->forget();
  const std::uint64_t begin = network_->now();
  std::vector<gantry_image*> images = {load(devices[0], text)};
  nodes_->settle();
  // Halves: 1000, 500, 250, ... each 1 MiB in 0.105 ms, and a hop of 10 us.
  EXPECT_EQ(network_->sent_by(0).transfers, 10);
  EXPECT_EQ(network_->sent().transfers, kNodes);
  EXPECT_LT(network_->now() - begin, 3'000'000);
  network_->forget();
  for (int i = 1; i < kNodes; ++i) {
    images.push_back(load(devices[static_cast<std::size_t>(i)], text));
  }
  EXPECT_EQ(network_->sent().transfers, 0);
  EXPECT_EQ(network_->sent().messages, 2 * (kNodes - 1)) << "to load it";

  std::vector<gantry_queue*> queues(kNodes);
  std::vector<void*> memory(kNodes);
  std::vector<int> numbers(kNodes);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<gantry_kernel*> kernels;
  for (std::size_t i = 0; i < kNodes; ++i) {
    kernels.push_back(kernel(images[i], "add"));
    ASSERT_EQ(entries::create_queue(devices[i], &queues[i]), GANTRY_SUCCESS);
    memory[i] = allocate(devices[i], sizeof(int));
  }
  network_->forget();
  const std::uint64_t started = network_->now();
  for (std::size_t i = 0; i < kNodes; ++i) {
    ASSERT_EQ(entries::copy_to_device(devices[i], memory[i], &numbers[i], sizeof(int)),
              GANTRY_SUCCESS);
    ASSERT_EQ(put_add(queues[i], kernels[i], memory[i], 1000), GANTRY_SUCCESS);
    ASSERT_EQ(entries::queue_copy_to_host(queues[i], &numbers[i], memory[i], sizeof(int)),
              GANTRY_SUCCESS);
    std::int32_t done = 0;
    ASSERT_EQ(entries::query_queue(queues[i], &done), GANTRY_SUCCESS);
  }
  for (std::size_t i = 0; i < kNodes; ++i) {
    ASSERT_EQ(entries::synchronize_queue(queues[i]), GANTRY_SUCCESS);
    ASSERT_EQ(numbers[i], 1000 + static_cast<int>(i));
  }
  EXPECT_EQ(network_->sent_by(0).messages, kNodes);
  EXPECT_EQ(network_->sent().messages, 2 * kNodes);
  EXPECT_LT(network_->now() - started, 40 * kLatency) << "all at once";
  for (std::size_t i = 0; i < kNodes; ++i) {
    ASSERT_EQ(entries::release(devices[i], memory[i]), GANTRY_SUCCESS);
    ASSERT_EQ(entries::destroy_queue(queues[i]), GANTRY_SUCCESS);
    ASSERT_EQ(entries::destroy_image(images[i]), GANTRY_SUCCESS);
  }
}

} // namespace
} // namespace gantry::mpi
