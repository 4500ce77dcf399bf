// What a device that a kernel's fault has ended answers, until it is opened again.
#include "plugins/cuda/testing/open_device.h"

namespace gantry::cuda {
namespace {

constexpr std::string_view kText = GANTRY_PTX R"(
.visible .entry store_to(.param .u64 at) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [at];
  st.u64 [%rd1], %rd1;
  ret;
})";

TEST(FaultTest, ADeviceIsLostUntilItIsClosed) {
  gantry_device* device = open_device();
  gantry_image* const image = create_image(device, kText);
  ASSERT_EQ(entries::load_image(image), GANTRY_SUCCESS);
  gantry_symbol kernel = symbol_of(GANTRY_SYMBOL_KERNEL, "store_to");
  ASSERT_EQ(entries::find_symbols(image, &kernel, 1), GANTRY_SUCCESS);
  void* number = allocate(device, 8);
  gantry_fault fault = {};
  fault.size = sizeof fault;
  EXPECT_EQ(entries::get_fault(device, &fault), GANTRY_NOT_FOUND);

  void* wrong = reinterpret_cast<void*>(8);
  const gantry_launch launch = launch_of(wrong);
  EXPECT_EQ(entries::launch(device, kernel.kernel, &launch), GANTRY_DEVICE_LOST);
  ASSERT_EQ(entries::get_fault(device, &fault), GANTRY_SUCCESS);
  EXPECT_EQ(fault.size, sizeof fault);
  EXPECT_EQ(fault.kind, GANTRY_FAULT_ACCESS);
  EXPECT_EQ(fault.access, GANTRY_FAULT_ACCESS_WRITE);
  EXPECT_EQ(fault.address, 8U);
  EXPECT_STREQ(fault.kernel_name, "store_to");

  const __omp_offloading_fptr_map_ty function = {1, 2};
  const gantry_allocation request = request_of(4096);
  void* none = nullptr;
  gantry_queue* queue = nullptr;
  gantry_symbol other = symbol_of(GANTRY_SYMBOL_KERNEL, "other");
  EXPECT_EQ(entries::launch(device, kernel.kernel, &launch), GANTRY_DEVICE_LOST);
  EXPECT_EQ(entries::copy_to_device(device, number, &number, 8), GANTRY_DEVICE_LOST);
  EXPECT_EQ(entries::copy_to_host(device, &number, number, 8), GANTRY_DEVICE_LOST);
  EXPECT_EQ(entries::allocate(device, &request, &none), GANTRY_DEVICE_LOST);
  EXPECT_EQ(entries::set_function_map(device, &function, 1), GANTRY_DEVICE_LOST);
  EXPECT_EQ(entries::create_queue(device, &queue), GANTRY_DEVICE_LOST);
  EXPECT_EQ(entries::find_symbols(image, &other, 1), GANTRY_DEVICE_LOST);
  EXPECT_EQ(entries::destroy_image(image), GANTRY_DEVICE_LOST);
  EXPECT_EQ(entries::close_device(device), GANTRY_DEVICE_LOST);

  device = open_device();
  number = allocate(device, 8);
  EXPECT_EQ(entries::copy_to_device(device, number, &number, 8), GANTRY_SUCCESS)
      << plugins::last_error();
  EXPECT_EQ(entries::close_device(device), GANTRY_SUCCESS);
}

} // namespace
} // namespace gantry::cuda
