// Images: their symbols, and what is damaged.
#include "plugins/hsa/testing/open_device.h"

#include <gmock/gmock.h>

namespace gantry::hsa {
namespace {

using testing::HasSubstr;

using HsaImage = KernelsOnDevice;

TEST_F(HsaImage, KernelsAreDescribed) {
  const gantry_kernel& add = *kernel("add_slowly");
  EXPECT_EQ(add.name, "add_slowly");
  EXPECT_NE(add.object, 0U);
  EXPECT_GE(add.argument_bytes, 24U);
  EXPECT_EQ(add.wave_size, 64U);
  EXPECT_EQ(add.max_block_size, 1024U);
  EXPECT_FALSE(add.of_gcc);
  EXPECT_EQ(kernel("add_slowly"), &add);
  EXPECT_GE(kernel("write_hidden")->hidden.size(), 10U);
}

TEST_F(HsaImage, SymbolsThatAreNotThere) {
  for (const std::int32_t kind : {GANTRY_SYMBOL_KERNEL, GANTRY_SYMBOL_VARIABLE}) {
    gantry_symbol symbol = {.name = "nothing", .kind = kind};
    EXPECT_EQ(entries::find_symbols(image_, &symbol, 1), GANTRY_NOT_FOUND);
    EXPECT_EQ(symbol.status, GANTRY_NOT_FOUND);
  }
  gantry_symbol symbol = {.name = "add_slowly", .kind = GANTRY_SYMBOL_VARIABLE};
  EXPECT_EQ(entries::find_symbols(image_, &symbol, 1), GANTRY_NOT_FOUND) << "a function";
}

TEST_F(HsaImage, DamagedOnesAreRefused) {
  const std::string whole = contents_of(GANTRY_TEST_KERNELS);
  for (const std::size_t size : {std::size_t{64}, std::size_t{200}, whole.size() / 2}) {
    gantry_image* image = nullptr;
    ASSERT_EQ(entries::create_image(device_, whole.data(), size, nullptr, &image), GANTRY_SUCCESS);
    EXPECT_EQ(entries::load_image(image), GANTRY_FAILURE) << size;
    EXPECT_THAT(plugins::last_error(),
                HasSubstr("does not load the image, a code object of version 6 for gfx906"));
    EXPECT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
  }
}

} // namespace
} // namespace gantry::hsa
