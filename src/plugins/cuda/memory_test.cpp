// Placement that the driver does not offer is refused.
#include "plugins/cuda/testing/open_device.h"

#include <array>

namespace gantry::cuda {
namespace {

using MemoryTest = OnDevice;

TEST_F(MemoryTest, IsWhereTheDriverWantsIt) {
  void* address = nullptr;
  std::array<gantry_allocation, 2> requests;
  requests.fill(request_of(64));
  requests[0].alignment = 128;
  requests[1].offset = 16;
  for (const gantry_allocation& request : requests) {
    EXPECT_EQ(entries::allocate(device_, &request, &address), GANTRY_FAILURE);
    EXPECT_STREQ(plugins::last_error(),
                 "the driver chooses where memory begins, and aligns it to 64 bytes");
  }
  // The executor alone places memory, in its own addresses.
  gantry_allocation elsewhere = request_of(64);
  elsewhere.address = 1 << 20;
  EXPECT_NE(entries::allocate(device_, &elsewhere, &address), GANTRY_SUCCESS);
  EXPECT_EQ(address, nullptr);
}

} // namespace
} // namespace gantry::cuda
