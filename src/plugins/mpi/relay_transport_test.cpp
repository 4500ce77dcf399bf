// The program's end of the socket to its relay; the other end is the test's.
#include "plugins/mpi/relay_transport.h"

#include "plugins/mpi/own_job.h"

#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gantry::mpi {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class RelayTransports : public testing::Test {
protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    transport_ = std::make_unique<RelayTransport>(ends[0], 0, 3);
    relay_ = ends[1];
  }
  void TearDown() override {
    close_relay();
    transport_.reset();
  }
  void close_relay() {
    if (relay_ >= 0) {
      close(std::exchange(relay_, -1));
    }
  }

  void say(const Frame& frame, const Bytes& bytes = {}) const {
    ASSERT_EQ(write(relay_, &frame, sizeof frame), sizeof frame);
    ASSERT_EQ(write(relay_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void read_all(void* to, std::size_t size) const {
    for (std::size_t done = 0; done < size;) {
      const ssize_t count = read(relay_, static_cast<char*>(to) + done, size - done);
      ASSERT_GT(count, 0);
      done += static_cast<std::size_t>(count);
    }
  }
  [[nodiscard]] Frame heard() const {
    Frame frame = {};
    read_all(&frame, sizeof frame);
    return frame;
  }
  [[nodiscard]] Bytes heard(std::size_t size) const {
    Bytes bytes(size);
    read_all(bytes.data(), size);
    return bytes;
  }
  /// What receive() brings.
  std::vector<std::pair<int, Bytes>> received() {
    std::vector<std::pair<int, Bytes>> all;
    const auto result = transport_->receive([&](int from, std::span<const std::byte> message) {
      all.emplace_back(from, Bytes(message.begin(), message.end()));
    });
    EXPECT_EQ(result, !all.empty());
    return all;
  }
  [[nodiscard]] std::string failure() const {
    const auto result = transport_->receive([](int, std::span<const std::byte>) {});
    return result ? "" : result.error().message;
  }

  std::unique_ptr<RelayTransport> transport_;
  int relay_ = -1;
};

TEST_F(RelayTransports, HandMessagesOn) {
  ASSERT_TRUE(transport_->send(2, bytes_of("hello")));
  const Frame sent = heard();
  EXPECT_EQ(sent.kind, FrameKind::kMessage);
  EXPECT_EQ(sent.process, 2);
  EXPECT_EQ(heard(sent.size), bytes_of("hello"));

  say({.kind = FrameKind::kMessage, .process = 1, .number = 0, .size = 3}, bytes_of("one"));
  say({.kind = FrameKind::kMessage, .process = 2, .number = 0, .size = 0});
  EXPECT_THAT(received(),
              testing::ElementsAre(testing::Pair(1, bytes_of("one")), testing::Pair(2, Bytes())));
  EXPECT_TRUE(received().empty());
}

TEST_F(RelayTransports, TakeMessagesThatComeByteByByte) {
  const Frame frame = {.kind = FrameKind::kMessage, .process = 1, .number = 0, .size = 2};
  Bytes all = bytes_of({reinterpret_cast<const char*>(&frame), sizeof frame});
  all.push_back(std::byte{'o'});
  for (const std::byte byte : all) {
    ASSERT_EQ(write(relay_, &byte, 1), 1);
    ASSERT_TRUE(received().empty());
  }
  ASSERT_EQ(write(relay_, "k", 1), 1);
  EXPECT_THAT(received(), testing::ElementsAre(testing::Pair(1, bytes_of("ok"))));
}

TEST_F(RelayTransports, DoNotWaitForTheRelay) {
  const Bytes large(std::size_t{8} << 20, std::byte{7}); // more than the socket holds
  auto sent = transport_->send_bytes(1, 5, large);
  ASSERT_TRUE(sent);
  ASSERT_TRUE(transport_->send(1, bytes_of("behind")));
  ASSERT_EQ(transport_->is_done(**sent), false);
  std::thread reader([&] {
    const Frame frame = heard();
    EXPECT_EQ(frame.kind, FrameKind::kSend);
    EXPECT_EQ(frame.number, 5);
    EXPECT_EQ(heard(frame.size), large);
    EXPECT_EQ(heard(heard().size), bytes_of("behind"));
  });
  while (!transport_->is_done(**sent).value_or(true)) {
  }
  (void)received(); // what is behind it goes too
  reader.join();
  EXPECT_EQ(transport_->is_done(**sent), true);
}

TEST_F(RelayTransports, ReceiveTransfersInAnyOrder) {
  Bytes first(4), second(6);
  auto one = transport_->receive_bytes(1, 1, first);
  auto two = transport_->receive_bytes(1, 2, second);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(heard().kind, FrameKind::kReceive);
  EXPECT_EQ(heard().size, 6);
  say({.kind = FrameKind::kReceived, .process = 1, .number = 2, .size = 6}, bytes_of("second"));
  EXPECT_EQ(transport_->is_done(**one), false);
  EXPECT_EQ(transport_->is_done(**two), true);
  EXPECT_EQ(second, bytes_of("second"));
  say({.kind = FrameKind::kReceived, .process = 1, .number = 1, .size = 4}, bytes_of("frst"));
  EXPECT_EQ(transport_->is_done(**one), true);
  EXPECT_EQ(first, bytes_of("frst"));
}

TEST_F(RelayTransports, SayThatTheyClose) {
  transport_.reset();
  EXPECT_EQ(heard().kind, FrameKind::kClose);
  char rest = 0;
  EXPECT_EQ(read(relay_, &rest, 1), 0);
}

TEST_F(RelayTransports, FailForEverWhenTheRelayIsGone) {
  close_relay();
  EXPECT_EQ(failure(), "the job's first process, the relay, has ended");
  EXPECT_FALSE(transport_->send(1, bytes_of("x")));
  EXPECT_FALSE(transport_->send_bytes(1, 0, bytes_of("x")));
}

TEST_F(RelayTransports, RefuseWhatIsDamaged) {
  Bytes room(4);
  const Frame damaged[] = {
      {.kind = static_cast<FrameKind>(77), .process = 1, .number = 0, .size = 0},
      {.kind = FrameKind::kMessage, .process = 3, .number = 0, .size = 1},
      {.kind = FrameKind::kMessage, .process = -1, .number = 0, .size = 1},
      {.kind = FrameKind::kMessage, .process = 1, .number = 0, .size = ~std::uint64_t{0}},
      {.kind = FrameKind::kReceived, .process = 1, .number = 9, .size = 4},
      {.kind = FrameKind::kReceived, .process = 1, .number = 1, .size = 5},
      {.kind = FrameKind::kRefused, .process = 0, .number = 0, .size = 0}};
  for (const Frame& frame : damaged) {
    TearDown();
    SetUp();
    const auto expected = transport_->receive_bytes(1, 1, room);
    ASSERT_TRUE(expected);
    say(frame);
    EXPECT_NE(failure(), "") << static_cast<int>(frame.kind);
    transport_.reset();
  }
}

TEST(Starts, AreRefusedWhenDamaged) {
  const auto met_after = [](std::initializer_list<Frame> frames) -> std::string {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    for (const Frame& frame : frames) {
      EXPECT_EQ(write(ends[1], &frame, sizeof frame), sizeof frame);
    }
    shutdown(ends[1], SHUT_WR);
    const auto met = OwnJob::meet_over(ends[0]);
    close(ends[1]);
    return met ? fmt::format("{} nodes", met->nodes.size()) : met.error().message;
  };
  const auto node = [](int process) { return Frame{FrameKind::kNode, process, 0, 0, 0}; };
  const Frame started = {FrameKind::kStarted, 0, 3, 0, 0};
  const std::string damaged = "what the relay says of the job's processes is damaged";
  EXPECT_EQ(met_after({node(1), node(2), started}), "2 nodes");
  EXPECT_EQ(met_after({node(1), node(1), started}), damaged);
  EXPECT_EQ(met_after({node(0), started}), damaged);
  EXPECT_EQ(met_after({node(3), started}), damaged);
  EXPECT_EQ(met_after({node(-1), started}), damaged);
  EXPECT_EQ(met_after({{FrameKind::kStarted, 7, 3, 0, 0}}), damaged);
  EXPECT_EQ(met_after({{FrameKind::kNode, 1, 0, 0, ~std::uint64_t{0}}}),
            "what the relay says is damaged");
  EXPECT_EQ(met_after({{FrameKind::kMessage, 1, 0, 0, 0}}), "what the relay says is damaged");
  EXPECT_EQ(met_after({node(1)}), "the job's first process, the relay, has ended");
}

} // namespace
} // namespace gantry::mpi
