// What a device says of itself, and what opening one refuses.
#include "plugins/hsa/testing/open_device.h"

#include <gmock/gmock.h>

namespace gantry::hsa {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using HsaDevice = OnDevice;

TEST_F(HsaDevice, SaysWhatItIs) {
  gantry_device_properties properties = {.size = sizeof properties};
  ASSERT_EQ(entries::get_properties(device_, &properties), GANTRY_SUCCESS);
  EXPECT_THAT(properties.description, StartsWith("gfx906"));
  EXPECT_THAT(properties.description, HasSubstr(" compute units, "));
  EXPECT_EQ(device_->wave_size, 64U);
  EXPECT_GT(device_->total_memory, 0U);
  EXPECT_EQ(device_->group_memory, 64U << 10);
  EXPECT_GT(device_->clock_frequency, 0U);
}

TEST_F(HsaDevice, MemoryThatIsGivenBackIsUsedAgain) {
  void* const first = allocate(device_, 4096);
  ASSERT_EQ(entries::release(device_, first), GANTRY_SUCCESS);
  EXPECT_EQ(allocate(device_, 4096), first);
  ASSERT_EQ(entries::release(device_, first), GANTRY_SUCCESS);
  EXPECT_EQ(entries::release(device_, first), GANTRY_FAILURE);
  EXPECT_THAT(plugins::last_error(), HasSubstr("freed already"));
}

TEST_F(HsaDevice, MoreMemoryThanThereIs) {
  const gantry_allocation request = {.size = sizeof request,
                                     .bytes = std::uint64_t{1} << 60,
                                     .alignment = 64,
                                     .offset = 0,
                                     .address = 0};
  void* address = nullptr;
  EXPECT_EQ(entries::allocate(device_, &request, &address), GANTRY_OUT_OF_MEMORY);
  EXPECT_THAT(plugins::last_error(), HasSubstr("1152921504606846976 bytes of device memory"));
}

TEST_F(HsaDevice, ImagesOfOtherProcessors) {
  const std::string bytes = contents_of(GANTRY_CORPUS "/gfx1100_v6.hsaco");
  EXPECT_EQ(entries::accepts_image(bytes.data(), bytes.size()), 1);
  EXPECT_EQ(entries::rank_image(device_, bytes.data(), bytes.size()), 0U);
  gantry_image* image = nullptr;
  EXPECT_EQ(entries::create_image(device_, bytes.data(), bytes.size(), nullptr, &image),
            GANTRY_FAILURE);
  EXPECT_THAT(plugins::last_error(),
              HasSubstr("the image is for gfx1100 and the device is a gfx906"));
}

TEST(HsaDevices, ThatAreNotThere) {
  const gantry_device_settings settings = {.size = sizeof settings, .options = ""};
  gantry_device* device = nullptr;
  EXPECT_EQ(entries::open_device(99, &settings, &device), GANTRY_INVALID_OPTION);
  EXPECT_EQ(entries::open_device(-1, &settings, &device), GANTRY_INVALID_OPTION);
}

} // namespace
} // namespace gantry::hsa
