// A job of two processes: its launcher's library is found, and moves bytes. Each test runs in both.
#include "plugins/mpi/mpi_transport.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::mpi {
namespace {

std::unique_ptr<Library> mpi;
Communicator all;

Library::Done wait(Result<Request> request) {
  EXPECT_TRUE(request) << request.error().message;
  for (;;) {
    const auto done = mpi->test(*request);
    if (!done) {
      ADD_FAILURE() << done.error().message;
      return {};
    }
    if (done->is_done) {
      return *done;
    }
  }
}

std::vector<std::byte> pattern(std::size_t size, int seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(i * 7 + i / 251 + static_cast<unsigned>(seed));
  }
  return bytes;
}

TEST(Job, HasTwoProcesses) {
  EXPECT_TRUE(is_launched());
  EXPECT_EQ(mpi->size(all), 2);
  EXPECT_EQ(mpi->size(mpi->world()), 2);
  EXPECT_EQ(mpi->rank(all), mpi->rank(mpi->world()));
  EXPECT_GE(mpi->largest_tag(), 32767);
  EXPECT_EQ(mpi->name().find('\n'), std::string::npos);
  const bool is_openmpi = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  EXPECT_THAT(mpi->name(), testing::HasSubstr(is_openmpi ? "Open MPI" : "MPICH"));
}

TEST(Job, SendsAllSizesBothWaysAtOnce) {
  const int self = mpi->rank(all);
  const int other = 1 - self;
  for (const std::size_t size :
       std::initializer_list<std::size_t>{0, 1, 8, 4096, 65537, 1U << 20, (32U << 20) + 3}) {
    const std::vector<std::byte> sent = pattern(size, self);
    std::vector<std::byte> room(size + 5);
    const auto receiver = mpi->receive(all, other, 3, room);
    const auto sender = mpi->send(all, other, 3, sent);
    const Library::Done done = wait(receiver);
    wait(sender);
    ASSERT_EQ(done.from, other);
    ASSERT_EQ(done.bytes, size);
    room.resize(size);
    ASSERT_TRUE(std::ranges::equal(room, pattern(size, other))) << size;
  }
}

TEST(Job, KeepsTheOrderOfATag) {
  const int other = 1 - mpi->rank(all);
  std::vector<std::array<int, 1>> sent(200);
  std::vector<Request> senders;
  for (int i = 0; i < 200; ++i) {
    sent[static_cast<std::size_t>(i)] = {i};
    senders.push_back(
        *mpi->send(all, other, 5, std::as_bytes(std::span(sent[static_cast<std::size_t>(i)]))));
  }
  for (int i = 0; i < 200; ++i) {
    std::array<int, 1> room = {-1};
    ASSERT_EQ(wait(mpi->receive_of_any(all, 5, std::as_writable_bytes(std::span(room)))).from,
              other);
    ASSERT_EQ(room[0], i);
  }
  for (const Request& sender : senders) {
    wait(sender);
  }
}

TEST(Job, TellsCommunicatorsApart) {
  const auto second = mpi->duplicate(all);
  ASSERT_TRUE(second) << second.error().message;
  const int other = 1 - mpi->rank(all);
  const std::array in_first = {std::byte{1}};
  const std::array in_second = {std::byte{2}};
  std::array<std::byte, 1> first = {};
  std::array<std::byte, 1> other_one = {};
  const auto one = mpi->send(all, other, 9, in_first);
  const auto two = mpi->send(*second, other, 9, in_second);
  wait(mpi->receive(*second, other, 9, other_one));
  wait(mpi->receive(all, other, 9, first));
  wait(one);
  wait(two);
  EXPECT_EQ(first, in_first);
  EXPECT_EQ(other_one, in_second);
}

TEST(Job, EndsAReceiverThatNothingComesTo) {
  std::array<std::byte, 8> room = {};
  auto receiver = mpi->receive(all, 1 - mpi->rank(all), 11, room);
  ASSERT_TRUE(receiver);
  const auto ended = mpi->cancel(*receiver);
  EXPECT_TRUE(ended) << ended.error().message;
}

TEST(Job, ReturnsErrors) {
  const auto refused = mpi->send(all, 99, 1, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("MPI_Isend: "));
  EXPECT_THAT(refused.error().message, testing::ContainsRegex("rank"));
}

/// A transport, which both processes are done with before it ends.
class TransportOfJob : public testing::Test {
protected:
  void SetUp() override {
    auto made = MpiTransport::make(*mpi, all, kPiece);
    ASSERT_TRUE(made) << made.error().message;
    transport_ = std::move(*made);
    other_ = 1 - transport_->self();
  }
  void TearDown() override {
    // The last message of each, behind which the other one sends nothing.
    ASSERT_TRUE(transport_->send(other_, {}));
    receive(1, [](auto message) { EXPECT_TRUE(message.empty()); });
  }

  /// Uses so many messages of the other process; what comes with them is for the next call.
  template <typename Use>
  void receive(int count, Use use) {
    for (; count > 0 && !come_.empty(); --count) {
      use(std::span<const std::byte>(come_.front()));
      come_.pop_front();
    }
    while (count > 0) {
      const auto received = transport_->receive([&](int from, std::span<const std::byte> message) {
        EXPECT_EQ(from, other_);
        if (count-- > 0) {
          use(message);
        } else {
          come_.emplace_back(message.begin(), message.end());
        }
      });
      ASSERT_TRUE(received) << received.error().message;
    }
  }
  void wait(const Result<std::unique_ptr<Transfer>>& transfer) {
    ASSERT_TRUE(transfer) << transfer.error().message;
    for (;;) {
      const auto done = transport_->is_done(**transfer);
      ASSERT_TRUE(done) << done.error().message;
      if (*done) {
        return;
      }
    }
  }

  static constexpr std::size_t kPiece = 100'000;
  std::unique_ptr<Transport> transport_;
  int other_ = 0;
  std::deque<std::vector<std::byte>> come_;
};

TEST_F(TransportOfJob, HasTheProcessesOfIt) {
  EXPECT_EQ(transport_->processes(), 2);
  EXPECT_EQ(transport_->self(), mpi->rank(all));
}

TEST_F(TransportOfJob, KeepsMessagesInOrder) {
  constexpr int kCount = 3000;
  std::thread sender([&] {
    for (int i = 0; i < kCount; ++i) {
      const std::size_t size =
          i % 100 == 0 ? Transport::kLongestMessage : static_cast<std::size_t>(i);
      ASSERT_TRUE(transport_->send(other_, pattern(size, i)));
    }
  });
  int next = 0;
  receive(kCount, [&](std::span<const std::byte> message) {
    const std::size_t size =
        next % 100 == 0 ? Transport::kLongestMessage : static_cast<std::size_t>(next);
    ASSERT_TRUE(std::ranges::equal(message, pattern(size, next))) << next;
    ++next;
  });
  sender.join();
}

TEST_F(TransportOfJob, TakesAnswersWhileItReceives) {
  // From 0 to 99: one process sends the even ones, the other answers with the odd ones.
  unsigned last = 0;
  if (transport_->self() == 0) {
    ASSERT_TRUE(transport_->send(other_, std::array{std::byte{0}}));
  }
  receive(50, [&](std::span<const std::byte> message) {
    last = static_cast<unsigned>(message[0]);
    if (last < 99) {
      ASSERT_TRUE(transport_->send(other_, std::array{static_cast<std::byte>(last + 1)}));
    }
  });
  EXPECT_EQ(last, transport_->self() == 0 ? 99 : 98);
}

TEST_F(TransportOfJob, RefusesAMessageThatIsTooLong) {
  const auto sent = transport_->send(other_, pattern(Transport::kLongestMessage + 1, 0));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().message, "a message has 73729 bytes, and 73728 can be sent");
}

TEST_F(TransportOfJob, TellsTransfersApartByTheirNumbers) {
  const std::vector<std::size_t> sizes = {0, 1, kPiece - 1, kPiece, kPiece + 1, 7 * kPiece + 5, 3};
  std::vector<std::vector<std::byte>> sent;
  std::vector<std::vector<std::byte>> rooms;
  std::vector<Result<std::unique_ptr<Transfer>>> transfers;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sent.push_back(pattern(sizes[i], static_cast<int>(i) + transport_->self()));
    rooms.emplace_back(sizes[i]);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t back = sizes.size() - 1 - i;
    // The numbers are larger than tags may be.
    const auto number = [](std::size_t of) {
      return 4'000'000'000U + static_cast<std::uint32_t>(of);
    };
    transfers.push_back(transport_->send_bytes(other_, number(i), sent[i]));
    transfers.push_back(transport_->receive_bytes(other_, number(back), rooms[back]));
  }
  for (const auto& transfer : transfers) {
    wait(transfer);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(rooms[i], pattern(sizes[i], static_cast<int>(i) + other_)) << i;
  }
}

TEST_F(TransportOfJob, IsUsedBySeveralThreads) {
  constexpr int kThreads = 4;
  constexpr int kCount = 100;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCount; ++i) {
        const auto number = static_cast<std::uint32_t>(t * kCount + i);
        const std::vector<std::byte> sent = pattern(2000, i + t + transport_->self());
        std::vector<std::byte> room(2000);
        const auto receiver = transport_->receive_bytes(other_, number, room);
        const auto sender = transport_->send_bytes(other_, number, sent);
        ASSERT_TRUE(transport_->send(other_, std::array{static_cast<std::byte>(t)}));
        wait(receiver);
        wait(sender);
        ASSERT_EQ(room, pattern(2000, i + t + other_));
      }
    });
  }
  std::array<int, kThreads> received = {};
  receive(kThreads * kCount, [&](std::span<const std::byte> message) {
    ++received[static_cast<std::size_t>(message[0])];
  });
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(received, testing::Each(kCount));
}

TEST_F(TransportOfJob, EndsBehindWhatItHasSent) {
  // Messages that are too long to be sent without the receiver, whose sender goes at once.
  constexpr int kCount = 8;
  auto made = MpiTransport::make(*mpi, all);
  ASSERT_TRUE(made);
  std::unique_ptr<Transport> sender = std::move(*made);
  if (transport_->self() == 0) {
    for (int i = 0; i < kCount; ++i) {
      ASSERT_TRUE(sender->send(other_, pattern(Transport::kLongestMessage, i)));
    }
    sender.reset();
    return;
  }
  int count = 0;
  while (count < kCount) {
    ASSERT_TRUE(sender->receive([&](int, std::span<const std::byte> message) {
      EXPECT_TRUE(std::ranges::equal(message, pattern(Transport::kLongestMessage, count))) << count;
      ++count;
    }));
  }
}

TEST_F(TransportOfJob, AnswersEverythingWithItsFirstError) {
  auto made = MpiTransport::make(*mpi, all);
  ASSERT_TRUE(made);
  std::unique_ptr<Transport> failing = std::move(*made);
  std::vector<std::byte> room(8);
  const std::vector<std::byte> sent = pattern(16, 1);
  const auto sender = failing->send_bytes(other_, 1, sent);
  const auto receiver = failing->receive_bytes(other_, 1, room); // too small
  ASSERT_TRUE(receiver);
  Result<bool> done = false;
  while (done && !*done) {
    done = failing->is_done(**receiver);
  }
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, testing::ContainsRegex("MPI_Test: .*[Tt][Rr][Uu][Nn][Cc]"));
  const auto next = failing->receive([](int, auto) { FAIL(); });
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().message, done.error().message);
  EXPECT_FALSE(failing->send(other_, {}));
}

} // namespace
} // namespace gantry::mpi

int main(int count, char** words) {
  using namespace gantry::mpi;
  testing::InitGoogleTest(&count, words);
  auto opened = open_library(std::getenv("GANTRY_MPI"));
  if (!opened) {
    std::fprintf(stderr, "%s\n", opened.error().message.c_str());
    return 1;
  }
  mpi = std::move(*opened);
  const auto level = mpi->initialise();
  if (!level || *level != ThreadLevel::kMultiple) {
    std::fprintf(stderr, "%s\n", level ? "not for several threads" : level.error().message.c_str());
    return 1;
  }
  all = mpi->duplicate(mpi->world()).value();
  const int result = RUN_ALL_TESTS();
  return mpi->finalise() ? result : 1;
}
