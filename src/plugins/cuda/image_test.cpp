// Images whose constructors fail, and symbols beside those that are not there.
#include "plugins/cuda/image.h"

#include "plugins/cuda/testing/open_device.h"

#include <array>

namespace gantry::cuda {
namespace {

/// Its constructors are refused when they are launched, after which the device still works.
constexpr std::string_view kText = GANTRY_PTX R"(
.visible .entry __gantry_construct() {
  .reg .b32 %r<4>;
  mov.u32 %r1, 0;
  mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r2, %r3}, {%r1}, {%r1}, {%r1, %r1};
  ret;
}
.visible .entry region() {
  ret;
})";

class ImageTest : public OnDevice {};

TEST_F(ImageTest, WhoseConstructorsFailIsNotLoaded) {
  gantry_image* const image = create_image(device_, kText);
  EXPECT_NE(entries::load_image(image), GANTRY_SUCCESS);
  EXPECT_NE(entries::load_image(image), GANTRY_SUCCESS) << "nor when it is asked for again";
  EXPECT_TRUE(device_->images.empty());
  EXPECT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
}

constexpr std::string_view kSymbols = GANTRY_PTX R"(
.visible .global .u64 number = 7;
.visible .entry region() {
  ret;
}
.visible .entry other() {
  ret;
})";

TEST_F(ImageTest, FindsWhatIsThereBesideWhatIsNot) {
  gantry_image* const image = create_image(device_, kSymbols);
  ASSERT_EQ(entries::load_image(image), GANTRY_SUCCESS) << plugins::last_error();
  std::array symbols = {
      symbol_of(GANTRY_SYMBOL_KERNEL, "region"),   symbol_of(GANTRY_SYMBOL_KERNEL, "nowhere"),
      symbol_of(GANTRY_SYMBOL_VARIABLE, "number"), symbol_of(GANTRY_SYMBOL_VARIABLE, "nothing"),
      symbol_of(GANTRY_SYMBOL_VARIABLE, "region"), symbol_of(GANTRY_SYMBOL_KERNEL, "number"),
      symbol_of(GANTRY_SYMBOL_KERNEL, "other"),
  };
  EXPECT_EQ(entries::find_symbols(image, symbols.data(), symbols.size()), GANTRY_NOT_FOUND);
  EXPECT_STREQ(plugins::last_error(), "there is no such kernel in the image") << "of the first";
  for (const std::size_t absent : {1, 3, 4, 5}) {
    EXPECT_EQ(symbols[absent].status, GANTRY_NOT_FOUND) << absent;
  }
  for (const std::size_t present : {0, 2, 6}) {
    EXPECT_EQ(symbols[present].status, GANTRY_SUCCESS) << present;
  }
  std::uint64_t number = 0;
  ASSERT_EQ(symbols[2].bytes, sizeof number);
  ASSERT_EQ(entries::copy_to_host(device_, &number, symbols[2].address, sizeof number),
            GANTRY_SUCCESS);
  EXPECT_EQ(number, 7U);
  EXPECT_NE(symbols[0].kernel, symbols[6].kernel);
  gantry_launch launch = {};
  launch.size = sizeof launch;
  EXPECT_EQ(entries::launch(device_, symbols[6].kernel, &launch), GANTRY_SUCCESS);
  // Asked again, with only what is there.
  gantry_symbol again = symbol_of(GANTRY_SYMBOL_KERNEL, "region");
  EXPECT_EQ(entries::find_symbols(image, &again, 1), GANTRY_SUCCESS);
  EXPECT_EQ(again.kernel, symbols[0].kernel);
  EXPECT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
}

/// Its destructors count at a place that the test sets.
constexpr std::string_view kCounting = GANTRY_PTX R"(
.visible .global .u64 place = 0;
.visible .entry __gantry_destroy() {
  .reg .b64 %rd<2>;
  ld.global.u64 %rd1, [place];
  red.global.add.u32 [%rd1], 1;
  ret;
})";

TEST_F(ImageTest, DestructorsRunOnceAtTheEndOfTheDriverOrWhenItIsUnloaded) {
  void* const counter = allocate(device_, sizeof(std::uint32_t));
  const auto count = [&] {
    std::uint32_t value = 0;
    EXPECT_EQ(entries::copy_to_host(device_, &value, counter, sizeof value), GANTRY_SUCCESS);
    return value;
  };
  for (const bool driver_ends : {false, true}) {
    const std::uint32_t zero = 0;
    ASSERT_EQ(entries::copy_to_device(device_, counter, &zero, sizeof zero), GANTRY_SUCCESS);
    gantry_image* const image = create_image(device_, kCounting);
    ASSERT_EQ(entries::load_image(image), GANTRY_SUCCESS) << plugins::last_error();
    gantry_symbol place = symbol_of(GANTRY_SYMBOL_VARIABLE, "place");
    ASSERT_EQ(entries::find_symbols(image, &place, 1), GANTRY_SUCCESS);
    ASSERT_EQ(entries::copy_to_device(device_, place.address, &counter, sizeof counter),
              GANTRY_SUCCESS);
    if (driver_ends) {
      loaded_images().end();
    }
    EXPECT_EQ(count(), driver_ends ? 1U : 0U);
    EXPECT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
    EXPECT_EQ(count(), 1U);
    loaded_images().end();
    EXPECT_EQ(count(), 1U);
  }
  EXPECT_EQ(entries::release(device_, counter), GANTRY_SUCCESS);
}

} // namespace
} // namespace gantry::cuda
