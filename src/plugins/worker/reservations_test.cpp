// Where the program lets workers have images.
#include "plugins/worker/reservations.h"

#include <gtest/gtest.h>

namespace gantry::worker {
namespace {

TEST(WorkerReservations, NoImageIsWhereNoneCanBe) {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kBegin = 0x400000000000;
  EXPECT_TRUE(is_place_of_image(kBegin, kBegin + 3 * kPage));
  EXPECT_FALSE(is_place_of_image(kBegin, kBegin));
  EXPECT_FALSE(is_place_of_image(kBegin + kPage, kBegin));
  EXPECT_FALSE(is_place_of_image(kBegin + 8, kBegin + kPage));
  EXPECT_FALSE(is_place_of_image(kBegin, kBegin + kPage + 8));
  EXPECT_FALSE(is_place_of_image(kPage, kBegin)) << "more than an image has";
}

} // namespace
} // namespace gantry::worker
