// When operations ran on nodes whose clocks are not the program's, over a network that is
// simulated.
#include "plugins/last_error.h"
#include "plugins/mpi/entries.h"
#include "plugins/mpi/queue.h"
#include "plugins/mpi/testing/lone_transport.h"
#include "plugins/mpi/testing/simulated_nodes.h"

#include <array>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::mpi {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kLatency = 10'000;
constexpr std::uint64_t kHour = 3'600'000'000'000;
constexpr std::uint64_t kKernel = 5'000; ///< takes a kernel
constexpr std::uint64_t kLarge = (3 << 20) + 5;

class Times : public testing::Test {
protected:
  Times() {
    fake_devices().at_launch = [this] { network().pass(kKernel); };
  }
  ~Times() override {
    EXPECT_EQ(entries::destroy_queue(queue_), GANTRY_SUCCESS);
    EXPECT_EQ(entries::destroy_image(image_), GANTRY_SUCCESS);
    EXPECT_EQ(nodes_->broken(), "");
    nodes_.reset();
    EXPECT_EQ(fake_devices().open, 0) << "something is left";
    fake_devices() = {};
  }

  /// A node and its device, with `memory_` of kLarge bytes.
  void start(std::uint64_t program_ahead, std::uint64_t node_ahead) {
    nodes_ = std::make_unique<SimulatedNodes>(
        1, Network{.latency = kLatency, .bytes_per_nanosecond = 10});
    network().set_clock(0, program_ahead);
    network().set_clock(1, node_ahead);
    program_ahead_ = program_ahead;
    ASSERT_EQ(nodes_->add_devices(), GANTRY_SUCCESS) << plugins::last_error();
    device_ = nodes_->open();
    ASSERT_NE(device_, nullptr) << plugins::last_error();
    image_ = SimulatedNodes::load(device_);
    add_ = SimulatedNodes::kernel(image_, "add");
    memory_ = SimulatedNodes::allocate(device_, kLarge);
    ASSERT_EQ(entries::create_queue(device_, &queue_), GANTRY_SUCCESS);
  }
  SimulatedJob& network() { return nodes_->network(); }
  /// By the program's clock.
  std::uint64_t now() { return network().now() + program_ahead_; }

  void put_add(const char* name = "add") {
    gantry_kernel* const kernel =
        std::string_view(name) == "add" ? add_ : SimulatedNodes::kernel(image_, name);
    ASSERT_EQ(SimulatedNodes::put_add(queue_, kernel, memory_, 1), GANTRY_SUCCESS);
  }
  std::vector<gantry_interval> read() {
    std::vector<gantry_interval> times(4096);
    std::size_t count = 0;
    EXPECT_EQ(entries::read_times(queue_, times.data(), times.size(), &count), GANTRY_SUCCESS)
        << plugins::last_error();
    times.resize(count);
    return times;
  }
  /// What a construct does, one operation of each kind; the times of all lie within it. Exactly:
  /// the node's clock is what was measured.
  void put_all_kinds(bool exactly = true) {
    const std::uint64_t before = now();
    int number = 1;
    std::vector<std::byte> large(kLarge);
    // Is of no queue.
    ASSERT_EQ(entries::copy_to_device(device_, memory_, &number, sizeof number), GANTRY_SUCCESS);
    ASSERT_EQ(entries::queue_copy_to_device(queue_, memory_, &number, sizeof number),
              GANTRY_SUCCESS);
    // Is part of the launch behind it.
    void* host = nullptr;
    void* there = nullptr;
    ASSERT_EQ(entries::queue_launch_data(queue_, 8, &host, &there), GANTRY_SUCCESS);
    put_add();
    ASSERT_EQ(entries::queue_copy_to_host(queue_, &number, memory_, sizeof number), GANTRY_SUCCESS);
    ASSERT_EQ(number, 1) << "it has not come yet";
    ASSERT_EQ(entries::queue_copy_to_device(queue_, memory_, large.data(), kLarge), GANTRY_SUCCESS);
    put_add();
    ASSERT_EQ(entries::queue_copy_to_host(queue_, large.data(), memory_, kLarge), GANTRY_SUCCESS);
    ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS) << plugins::last_error();
    const std::uint64_t after = now();
    const std::vector<gantry_interval> times = read();
    ASSERT_EQ(times.size(), 6);
    std::uint64_t last = before;
    for (const auto& [begin, end] : times) {
      EXPECT_LE(last, begin);
      EXPECT_LE(begin, end);
      last = end;
    }
    EXPECT_LE(last, after);
    for (const std::size_t launch : {1, 4}) {
      EXPECT_EQ(times[launch].end - times[launch].begin, kKernel);
    }
    if (!exactly) {
      return;
    }
    // The first message takes a latency, give or take what its bytes take.
    EXPECT_NEAR(static_cast<double>(times[1].begin - before), kLatency, 100);
    EXPECT_GT(times[5].begin - times[3].begin, kLarge / 10) << "10 bytes take a nanosecond";
    EXPECT_EQ(read().size(), 0);
  }

  std::unique_ptr<SimulatedNodes> nodes_;
  std::uint64_t program_ahead_ = 0;
  gantry_device* device_ = nullptr;
  gantry_image* image_ = nullptr;
  gantry_kernel* add_ = nullptr;
  void* memory_ = nullptr;
  gantry_queue* queue_ = nullptr;
};

/// Kinds of devices, and whether they have a clock.
class TimesOfKinds : public Times,
                     public testing::WithParamInterface<std::pair<std::uint32_t, bool>> {
protected:
  TimesOfKinds() {
    fake_devices().capabilities = GetParam().first;
    if (GetParam().second) {
      fake_devices().clock = [this] { return network().now() + 7 * kHour; };
    }
  }
};

TEST_P(TimesOfKinds, AreTheProgramsWhateverTheNodesClock) {
  for (const auto& [program, node] : {std::pair{kHour, kHour}, {kHour, 3 * kHour}, {kHour, 0UL}}) {
    if (queue_ != nullptr) {
      ASSERT_EQ(entries::destroy_queue(queue_), GANTRY_SUCCESS);
      ASSERT_EQ(entries::destroy_image(image_), GANTRY_SUCCESS);
      nodes_.reset();
    }
    start(program, node);
    ASSERT_EQ(entries::record_times(queue_, 1), GANTRY_SUCCESS);
    put_all_kinds();
    put_all_kinds();
  }
}

TEST_P(TimesOfKinds, AreNothingOfWhatHasNotHappened) {
  start(kHour, 0);
  ASSERT_EQ(entries::record_times(queue_, 1), GANTRY_SUCCESS);
  put_add();
  put_add("fail");
  put_add();
  ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_FAILURE);
  std::vector<gantry_interval> times = read();
  ASSERT_EQ(times.size(), 3);
  EXPECT_GT(times[0].end, times[0].begin);
  for (const std::size_t i : {1, 2}) {
    EXPECT_EQ(times[i].begin, 0);
    EXPECT_EQ(times[i].end, 0);
  }
  put_add();
  ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS);
  times = read();
  ASSERT_EQ(times.size(), 1);
  EXPECT_EQ(times[0].end - times[0].begin, kKernel);
}

TEST_P(TimesOfKinds, CostNothingWhereNobodyWantsThem) {
  start(kHour, 0);
  const auto region = [&] {
    int number = 0;
    network().forget();
    EXPECT_EQ(entries::queue_copy_to_device(queue_, memory_, &number, sizeof number),
              GANTRY_SUCCESS);
    put_add();
    EXPECT_EQ(entries::queue_copy_to_host(queue_, &number, memory_, sizeof number), GANTRY_SUCCESS);
    EXPECT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS);
    return std::pair(network().sent().messages, network().sent().message_bytes);
  };
  (void)region();
  const auto without = region();
  EXPECT_EQ(without.first, 2);
  EXPECT_EQ(fake_devices().recorded, 0);
  EXPECT_EQ(read().size(), 0);
  EXPECT_EQ(network().sent().messages, 2) << "nor is the clock asked for";
  ASSERT_EQ(entries::record_times(queue_, 1), GANTRY_SUCCESS);
  EXPECT_EQ(region(),
            std::pair(without.first, without.second + sizeof(Head) + 3 * sizeof(gantry_interval)));
  EXPECT_EQ(read().size(), 3);
  EXPECT_EQ(network().sent().messages, 2 + 2 * NodeClock::kRoundTrips);
  (void)region();
  EXPECT_EQ(read().size(), 3);
  EXPECT_EQ(network().sent().messages, 2) << "the clock is known";
  ASSERT_EQ(entries::record_times(queue_, 0), GANTRY_SUCCESS);
  EXPECT_EQ(region(), without);
  EXPECT_EQ(read().size(), 0);
}

INSTANTIATE_TEST_SUITE_P(All, TimesOfKinds,
                         testing::Values(std::pair(GANTRY_CAPABILITY_HOST_ACCESSIBLE, false),
                                         std::pair(GANTRY_CAPABILITY_QUEUES, false),
                                         std::pair(GANTRY_CAPABILITY_QUEUES, true)));

TEST_F(Times, FollowANodesClockThatDrifts) {
  start(kHour, 0);
  ASSERT_EQ(entries::record_times(queue_, 1), GANTRY_SUCCESS);
  put_all_kinds();
  network().pass(NodeClock::kGoodFor + 1);
  network().set_clock(1, 1'000'000);
  put_all_kinds();
  for (const std::uint64_t jump : {0, 2'000'000}) {
    network().set_clock(1, jump);
    put_all_kinds(false); // by what was measured it would not lie within the construct
  }
}

TEST_F(Times, AreGoodWhereANodeIsSlowToAnswer) {
  start(kHour, 0);
  ASSERT_EQ(entries::record_times(queue_, 1), GANTRY_SUCCESS);
  put_all_kinds();
  network().pass(NodeClock::kGoodFor + 1);
  network().set_delay(1, 1'000'000);
  const std::uint64_t before = now();
  put_add();
  ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS);
  const std::vector<gantry_interval> times = read();
  ASSERT_EQ(times.size(), 1);
  EXPECT_NEAR(static_cast<double>(times[0].begin - before), kLatency, 40'000)
      << "half a millisecond by these round trips alone";
}

TEST_F(Times, AreAsManyAsThereAreOperations) {
  start(kHour, 0);
  ASSERT_EQ(entries::record_times(queue_, 1), GANTRY_SUCCESS);
  constexpr std::size_t kMany = 2 * kMostTimes + 100;
  for (std::size_t i = 0; i < kMany; ++i) {
    put_add();
  }
  ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS) << plugins::last_error();
  const std::vector<gantry_interval> times = read();
  ASSERT_EQ(times.size(), kMany);
  for (std::size_t i = 1; i < kMany; ++i) {
    ASSERT_LE(times[i - 1].end, times[i].begin);
  }
}

/// What a node says, as the program takes it in: a strand has two operations whose times are
/// wanted.
class DamagedTimes : public testing::Test {
protected:
  DamagedTimes() {
    auto transport = std::make_unique<LoneTransport>(0, 2);
    transport_ = transport.get();
    std::vector<std::unique_ptr<RemoteNode>> nodes;
    nodes.push_back(std::make_unique<RemoteNode>(*transport, 1, "host"));
    node_ = nodes.front().get();
    job_ = std::make_unique<Job>(std::move(transport), std::move(nodes), 0, false);
    node_->add(strand_);
    for (int i = 0; i < 2; ++i) {
      node_->put_operation(strand_, Kind::kNothing, 0, [](Record&) {}, kTimed);
    }
  }
  ~DamagedTimes() override {
    node_->remove(strand_);
    std::vector<std::byte> last;
    {
      const Record record(last, Kind::kEnded, 0);
    }
    EXPECT_TRUE(node_->take(last));
    EXPECT_TRUE(job_->leave());
  }

  /// What is wrong with a record; empty: nothing.
  template <typename Write>
  std::string told(Kind kind, Write write) {
    std::vector<std::byte> message;
    {
      Record record(message, kind, kind == Kind::kAnswer ? 1 : strand_.number);
      write(record);
    }
    const Status taken = node_->take(message);
    return taken ? "" : taken.error().message;
  }

  LoneTransport* transport_ = nullptr;
  RemoteNode* node_ = nullptr;
  std::unique_ptr<Job> job_;
  Strand strand_;
};

TEST_F(DamagedTimes, EndTheConnection) {
  using Two = std::array<gantry_interval, 2>;
  using Three = std::array<gantry_interval, 3>;
  EXPECT_EQ(told(Kind::kTimes, [](Record& record) { record.put(Three{}); }),
            "it has told times of operations that there were not");
  EXPECT_EQ(told(Kind::kTimes, [](Record& record) { record.put(Two{}).put('x'); }),
            "what it has told of times is damaged");
  EXPECT_EQ(node_->take_times(strand_).intervals.size(), 2);
  EXPECT_EQ(told(Kind::kTimes, [](Record& record) { record.put(gantry_interval{1, 1}); }),
            "it has told times of operations that there were not");
  node_->put_operation(strand_, Kind::kNothing, 0, [](Record&) {}, kTimed);
  EXPECT_EQ(told(Kind::kTimes, [](Record& record) { record.put(gantry_interval{2, 1}); }),
            "it has told of an operation that began at 2 and ended at 1");
  EXPECT_THAT(
      told(Kind::kTimes, [](Record& record) { record.put(gantry_interval{1, kLastTime + 1}); }),
      HasSubstr("it has told of an operation that began at 1"));
  EXPECT_EQ(told(Kind::kTimes, [](Record& record) { record.put(gantry_interval{1, 2}); }), "");
  EXPECT_EQ(node_->take_times(strand_).intervals.size(), 1);
  strand_.number += 1;
  EXPECT_EQ(told(Kind::kTimes, [](Record& record) { record.put(gantry_interval{1, 2}); }),
            "it has told of a strand that there is not");
}

TEST_F(DamagedTimes, AsDoesADamagedClock) {
  std::vector<std::byte> message;
  Record(message, Kind::kAnswer, 1).put(gantry_status{GANTRY_SUCCESS}).put_text("").put('x');
  transport_->give(1, message);
  (void)node_->clock().ahead(*job_, *node_);
  EXPECT_TRUE(node_->is_lost());
  EXPECT_EQ(node_->why_lost(), "what it has told of its clock is damaged");
}

} // namespace
} // namespace gantry::mpi
