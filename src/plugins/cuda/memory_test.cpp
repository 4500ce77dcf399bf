#include "plugins/cuda/testing/open_device.h"

#include <array>

namespace gantry::cuda {
namespace {

using MemoryTest = OnDevice;

TEST_F(MemoryTest, IsAlignedAndTakesACopy) {
  for (const std::uint64_t bytes : {1, 100, 4096}) {
    void* const address = allocate(device_, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % 64, 0U);
    char value = 7, back = 0;
    EXPECT_EQ(entries::copy_to_device(device_, address, &value, 1), GANTRY_SUCCESS);
    EXPECT_EQ(entries::copy_to_host(device_, &back, address, 1), GANTRY_SUCCESS);
    EXPECT_EQ(back, value);
    EXPECT_EQ(entries::release(device_, address), GANTRY_SUCCESS);
  }
}

TEST_F(MemoryTest, IsWhereTheDriverWantsIt) {
  void* address = nullptr;
  std::array<gantry_allocation, 3> requests;
  requests.fill(request_of(64));
  requests[0].address = 1 << 20;
  requests[1].alignment = 128;
  requests[2].offset = 16;
  for (const gantry_allocation& request : requests) {
    EXPECT_EQ(entries::allocate(device_, &request, &address), GANTRY_FAILURE);
    EXPECT_STREQ(plugins::last_error(),
                 "the driver chooses where memory begins, and aligns it to 64 bytes");
  }
  EXPECT_EQ(address, nullptr);
}

} // namespace
} // namespace gantry::cuda
