// Devices from open to close: what they are, and that they give everything back.
#include "plugins/cuda/testing/open_device.h"
#include "plugins/cuda/times.h"

#include <vector>

namespace gantry::cuda {
namespace {

using DeviceTest = OnDevice;

/// A kernel without parameters.
constexpr std::string_view kText = GANTRY_PTX R"(
.visible .entry region() {
  ret;
})";

bool has_context() {
  unsigned flags = 0;
  int active = 0;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  return active != 0;
}

/// Uses all of a device that takes memory, and gives none of it back but what has to be.
void use(gantry_device* device) {
  std::vector<std::byte> bytes(5 << 20);
  void* const memory = allocate(device, bytes.size());
  EXPECT_EQ(entries::copy_to_device(device, memory, bytes.data(), bytes.size()), GANTRY_SUCCESS);
  EXPECT_EQ(entries::copy_to_host(device, bytes.data(), memory, bytes.size()), GANTRY_SUCCESS);
  EXPECT_EQ(entries::release(device, allocate(device, 1 << 20)), GANTRY_SUCCESS); // is kept
  for (const std::size_t count : {100, 200}) {
    const std::vector<__omp_offloading_fptr_map_ty> table(count);
    EXPECT_EQ(entries::set_function_map(device, table.data(), count), GANTRY_SUCCESS);
  }
  gantry_image* const image = create_image(device, kText);
  EXPECT_EQ(entries::load_image(image), GANTRY_SUCCESS);
  gantry_symbol kernel = symbol_of(GANTRY_SYMBOL_KERNEL, "region");
  EXPECT_EQ(entries::find_symbols(image, &kernel, 1), GANTRY_SUCCESS);
  gantry_queue* queue = nullptr;
  ASSERT_EQ(entries::create_queue(device, &queue), GANTRY_SUCCESS);
  void* host = nullptr;
  void* on_device = nullptr;
  EXPECT_EQ(entries::queue_launch_data(queue, 1 << 20, &host, &on_device), GANTRY_SUCCESS);
  gantry_launch launch = {};
  launch.size = sizeof launch;
  EXPECT_EQ(entries::queue_launch(queue, kernel.kernel, &launch), GANTRY_SUCCESS);
  EXPECT_EQ(entries::synchronize_queue(queue), GANTRY_SUCCESS);
  EXPECT_EQ(entries::destroy_queue(queue), GANTRY_SUCCESS);
  EXPECT_EQ(entries::destroy_image(image), GANTRY_SUCCESS);
}

TEST_F(DeviceTest, GivesItsMemoryBackWhenItIsClosed) {
  const std::size_t free = free_memory();
  gantry_device* const other = open_device(); // in the same context
  use(other);
  ASSERT_EQ(enter(*other), GANTRY_SUCCESS);
  EXPECT_LE(free_memory(), free - (5 << 20));
  EXPECT_EQ(entries::close_device(other), GANTRY_SUCCESS) << plugins::last_error();
  ASSERT_EQ(enter(*device_), GANTRY_SUCCESS);
  EXPECT_EQ(free_memory(), free);
  use(device_); // as well as before
}

TEST(ClosedDevice, CanBeOpenedAgain) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(has_context());
    gantry_device* const device = open_device();
    EXPECT_TRUE(has_context());
    use(device);
    EXPECT_EQ(entries::close_device(device), GANTRY_SUCCESS) << plugins::last_error();
  }
  EXPECT_FALSE(has_context());
  CUcontext current = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, nullptr);
}

TEST_F(DeviceTest, OneThatIsOpenedTwiceIsTwo) {
  gantry_device* const other = open_device();
  EXPECT_NE(other, device_);
  void* const memory = allocate(device_, sizeof(int));
  void* const memory_of_other = allocate(other, sizeof(int));
  int value = 7, back = 0;
  EXPECT_EQ(entries::copy_to_device(device_, memory, &value, sizeof value), GANTRY_SUCCESS);
  EXPECT_EQ(entries::copy_between(device_, memory, other, memory_of_other, sizeof value),
            GANTRY_SUCCESS);
  EXPECT_EQ(entries::copy_to_host(other, &back, memory_of_other, sizeof back), GANTRY_SUCCESS);
  EXPECT_EQ(back, value);
  EXPECT_EQ(entries::close_device(other), GANTRY_SUCCESS);
  back = 0;
  EXPECT_EQ(entries::copy_to_host(device_, &back, memory, sizeof back), GANTRY_SUCCESS);
  EXPECT_EQ(back, value);
}

TEST_F(DeviceTest, SaysWhatItIs) {
  gantry_device_properties properties = {};
  properties.size = sizeof properties;
  ASSERT_EQ(entries::get_properties(device_, &properties), GANTRY_SUCCESS);
  EXPECT_EQ(properties.size, sizeof properties);
  EXPECT_EQ(properties.capabilities & (GANTRY_CAPABILITY_QUEUES | GANTRY_CAPABILITY_DIRECT),
            GANTRY_CAPABILITY_QUEUES | GANTRY_CAPABILITY_DIRECT);
  EXPECT_STREQ(properties.description, device_->description.c_str());
  EXPECT_STREQ(properties.clock, QueueTimes::kClock);
}

TEST(OpenDevice, IsRefusedForWhatThereIsNot) {
  std::int32_t count = 0;
  ASSERT_EQ(entries::count_devices(&count), GANTRY_SUCCESS);
  gantry_device_settings settings = {.size = sizeof settings, .options = ""};
  gantry_device* device = nullptr;
  for (const std::int32_t index : {-1, count}) {
    EXPECT_EQ(entries::open_device(index, &settings, &device), GANTRY_INVALID_OPTION);
  }
  settings.options = "speed=9";
  EXPECT_EQ(entries::open_device(0, &settings, &device), GANTRY_INVALID_OPTION);
  EXPECT_EQ(device, nullptr);
}

} // namespace
} // namespace gantry::cuda
