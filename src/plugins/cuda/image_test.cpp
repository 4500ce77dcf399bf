#include "plugins/cuda/image.h"

#include "plugins/cuda/testing/open_device.h"

#include <string>
#include <string_view>

#include <unistd.h>

namespace gantry::cuda {
namespace {

/// Its constructors are refused when they are launched, after which the device still works.
constexpr std::string_view kText = R"(
.version 7.8
.target sm_80
.address_size 64
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
  gantry_image* image = nullptr;
  ASSERT_EQ(__tgt_rtl_create_image(0, kText.data(), kText.size(), nullptr, &image), GANTRY_SUCCESS)
      << __tgt_rtl_error_message();
  EXPECT_NE(__tgt_rtl_load_image(image), GANTRY_SUCCESS);
  EXPECT_NE(__tgt_rtl_load_image(image), GANTRY_SUCCESS) << "nor when it is asked for again";
  EXPECT_TRUE(device().images.empty());
  __tgt_rtl_destroy_image(image);
}

TEST_F(ImageTest, ACopyForDebuggersReplacesTheOneOfAnEarlierProcess) {
  const std::string file = testing::TempDir() + "plugin_cuda_test.image";
  for (int i = 0; i < 2; ++i) {
    gantry_image* image = nullptr;
    ASSERT_EQ(__tgt_rtl_create_image(0, kText.data(), kText.size(), file.c_str(), &image),
              GANTRY_SUCCESS)
        << __tgt_rtl_error_message();
    __tgt_rtl_destroy_image(image);
  }
  EXPECT_EQ(unlink(file.c_str()), 0);
}

} // namespace
} // namespace gantry::cuda
