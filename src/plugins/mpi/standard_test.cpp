// MPI 5.0's binary interface, which no package of Debian's has yet, with a library of ours.
#include "plugins/mpi/library.h"

#include <array>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::mpi {
namespace {

TEST(StandardInterface, IsUsed) {
  const auto opened = open_library(GANTRY_STANDARD);
  ASSERT_TRUE(opened) << opened.error().message;
  Library& mpi = **opened;
  ASSERT_FALSE(mpi.is_initialised());
  ASSERT_EQ(mpi.initialise(), ThreadLevel::kSerialized);
  ASSERT_TRUE(mpi.is_initialised());
  ASSERT_EQ(mpi.initialise(), ThreadLevel::kSerialized) << "of a program that has done it";
  const auto copy = mpi.duplicate(mpi.world());
  ASSERT_TRUE(copy) << copy.error().message;
  ASSERT_EQ(mpi.rank(*copy), 0);
  ASSERT_EQ(mpi.size(*copy), 1);
  ASSERT_EQ(mpi.largest_tag(), 123456);
  const std::array sent = {std::byte{1}, std::byte{2}};
  std::array<std::byte, 8> room = {};
  ASSERT_TRUE(mpi.gather(mpi.world(), sent, std::span(room).first(2)));
  ASSERT_EQ(std::exchange(room[1], {}), std::byte{2});
  auto receiver = mpi.receive_of_any(*copy, 7, room);
  auto sender = mpi.send(*copy, 0, 7, sent);
  ASSERT_TRUE(receiver && sender);
  const auto done = mpi.test(*receiver);
  ASSERT_TRUE(done && done->is_done && mpi.test(*sender)->is_done);
  ASSERT_EQ(done->bytes, 2);
  ASSERT_EQ(room[1], std::byte{2});
  const auto refused = mpi.send(*copy, 1, 7, sent);
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.error().message, "MPI_Isend: wrong argument");
  receiver = mpi.receive(*copy, 0, 8, room);
  ASSERT_TRUE(mpi.cancel(*receiver));
  ASSERT_TRUE(mpi.finalise());
  ASSERT_TRUE(mpi.is_finalised());
}

} // namespace
} // namespace gantry::mpi
