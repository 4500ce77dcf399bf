// The relay's end of the socket to the program; the other end is the test's, and the nodes are not
// there.
#include "plugins/mpi/node/handing_on.h"

#include "plugins/mpi/testing/lone_transport.h"

#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gantry::mpi {
namespace {

class HandingOns : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
  }

  void say(const Frame& frame, std::string_view bytes = {}) const {
    ASSERT_EQ(write(ends_[0], &frame, sizeof frame), sizeof frame);
    ASSERT_EQ(write(ends_[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  /// How the work ends when the program says no more.
  std::string outcome() {
    shutdown(ends_[0], SHUT_WR);
    HandingOn handing_on(ProgramSocket(ends_[1]), nodes_, 0);
    const auto is_closed = handing_on.work();
    return !is_closed ? is_closed.error().message : *is_closed ? "closed" : "not closed";
  }
  [[nodiscard]] Frame heard() const {
    Frame frame = {};
    EXPECT_EQ(recv(ends_[0], &frame, sizeof frame, MSG_DONTWAIT), sizeof frame);
    return frame;
  }

  std::array<int, 2> ends_ = {};
  LoneTransport nodes_{0, 3};
};

TEST_F(HandingOns, EndWithTheProgram) {
  say({.kind = FrameKind::kMessage, .process = 1, .number = 0, .size = 5}, "hello");
  say({.kind = FrameKind::kClose, .process = 0, .number = 0, .size = 0});
  EXPECT_EQ(outcome(), "closed");
}

TEST_F(HandingOns, HandOnMessagesAndTransfers) {
  nodes_.give(2, std::as_bytes(std::span(std::string_view("from a node"))));
  // The socket stays open until both have come.
  std::thread program([this] {
    say({.kind = FrameKind::kSend, .process = 1, .number = 7, .size = 3}, "abc");
    say({.kind = FrameKind::kReceive, .process = 2, .number = 9, .size = 4});
    int messages = 0;
    for (int left = 2; left > 0; --left) {
      Frame frame = {};
      ASSERT_EQ(recv(ends_[0], &frame, sizeof frame, MSG_WAITALL), sizeof frame);
      std::string bytes(frame.size, ' ');
      ASSERT_EQ(recv(ends_[0], bytes.data(), bytes.size(), MSG_WAITALL),
                static_cast<ssize_t>(bytes.size()));
      EXPECT_EQ(frame.process, 2);
      if (frame.kind == FrameKind::kMessage) {
        EXPECT_EQ(bytes, "from a node");
        ++messages;
      } else {
        EXPECT_EQ(frame.kind, FrameKind::kReceived);
        EXPECT_EQ(frame.number, 9U);
        EXPECT_EQ(frame.size, 4U);
      }
    }
    EXPECT_EQ(messages, 1);
    shutdown(ends_[0], SHUT_WR);
  });
  HandingOn handing_on(ProgramSocket(ends_[1]), nodes_, 0);
  EXPECT_EQ(handing_on.work(), false);
  program.join();
}

TEST_F(HandingOns, EndWhenTheProgramIsGone) {
  EXPECT_EQ(outcome(), "not closed");
}

TEST_F(HandingOns, RefuseWhatIsDamaged) {
  const std::uint64_t huge = ~std::uint64_t{0};
  const std::vector<std::pair<Frame, const char*>> all = {
      {{.kind = FrameKind::kMessage, .process = 1, .number = 0, .size = huge},
       "the program's message of 18446744073709551615 bytes is too long"},
      {{.kind = FrameKind::kMessage, .process = 3, .number = 0, .size = 1},
       "the program has something for process 3, and there are 3"},
      {{.kind = FrameKind::kMessage, .process = 0, .number = 0, .size = 1},
       "the program has something for process 0, and there are 3"},
      {{.kind = FrameKind::kReceived, .process = 1, .number = 0, .size = 0},
       "what the program says is damaged"},
      {{.kind = FrameKind::kReceive, .process = 1, .number = 0, .size = huge},
       "there is no memory for 18446744073709551615 bytes: Cannot allocate memory"},
      {{.kind = FrameKind::kSend, .process = 1, .number = 0, .size = 8}, "not closed"}};
  for (const auto& [frame, why] : all) {
    say(frame);
    EXPECT_EQ(outcome(), why);
    TearDown();
    SetUp();
  }
}

} // namespace
} // namespace gantry::mpi
