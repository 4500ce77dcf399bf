#include "driver_test.h"

#include <cstring>

namespace {

class DeviceTest : public DriverTest {};

int attribute(CUdevice_attribute which) {
  int value = -1;
  EXPECT_OK(cuda().cuDeviceGetAttribute(&value, which, 0));
  return value;
}

TEST_F(DeviceTest, DescribesItself) {
  int count = 0;
  EXPECT_OK(cuda().cuDeviceGetCount(&count));
  EXPECT_GE(count, 1);
  char name[256] = {};
  EXPECT_OK(cuda().cuDeviceGetName(name, sizeof(name), device_));
  EXPECT_GT(std::strlen(name), 0U);
  std::size_t bytes = 0;
  EXPECT_OK(cuda().cuDeviceTotalMem_v2(&bytes, device_));
  EXPECT_GE(bytes, 16U << 20);
  int major = 0;
  int minor = 0;
  EXPECT_OK(cuda().cuDeviceComputeCapability(&major, &minor, device_));
  EXPECT_EQ(major, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_EQ(minor, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  int version = 0;
  EXPECT_OK(cuda().cuDriverGetVersion(&version));
  EXPECT_GE(version, 12000);
}

TEST_F(DeviceTest, NameIsCutToTheBuffer) {
  char name[4] = {'x', 'x', 'x', 'x'};
  EXPECT_OK(cuda().cuDeviceGetName(name, 3, device_));
  EXPECT_EQ(std::strlen(name), 2U);
  EXPECT_EQ(name[3], 'x');
}

TEST_F(DeviceTest, HasTheAttributesThatRuntimesDivideBy) {
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_GT(attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE), 0);
  EXPECT_GT(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 0);
  EXPECT_GT(attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR), 0);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
  EXPECT_GE(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
            attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
}

TEST_F(DeviceTest, AttributesAreNumbersFromOneOn) {
  int value = 0;
  EXPECT_EQ(cuda().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(0), device_),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(9999), device_),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device_),
            CUDA_ERROR_INVALID_VALUE);
  for (int i = 1; i <= 121; ++i) {
    EXPECT_OK(cuda().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(i), device_))
        << i;
  }
}

TEST_F(DeviceTest, OrdinalsAreChecked) {
  int count = 0;
  EXPECT_OK(cuda().cuDeviceGetCount(&count));
  CUdevice device = 0;
  EXPECT_EQ(cuda().cuDeviceGet(&device, count), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuda().cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
  std::size_t bytes = 0;
  EXPECT_EQ(cuda().cuDeviceTotalMem_v2(&bytes, count), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(DeviceTest, IsFoundByItsBus) {
  char id[32] = {};
  EXPECT_OK(cuda().cuDeviceGetPCIBusId(id, sizeof(id), device_));
  CUdevice found = -1;
  EXPECT_OK(cuda().cuDeviceGetByPCIBusId(&found, id));
  EXPECT_EQ(found, device_);
  EXPECT_EQ(cuda().cuDeviceGetByPCIBusId(&found, "FFFF:FF:1F.0"), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(DeviceTest, CannotBeItsOwnPeer) {
  int can = 1;
  EXPECT_OK(cuda().cuDeviceCanAccessPeer(&can, device_, device_));
  EXPECT_EQ(can, 0);
}

TEST_F(DeviceTest, UuidsAreTheSameByBothNames) {
  CUuuid first = {};
  CUuuid second = {};
  EXPECT_OK(cuda().cuDeviceGetUuid(&first, device_));
  EXPECT_OK(cuda().cuDeviceGetUuid_v2(&second, device_));
  EXPECT_EQ(std::memcmp(&first, &second, sizeof(first)), 0);
}

TEST_F(DeviceTest, PropertiesAreTheAttributes) {
  CUdevprop properties = {};
  EXPECT_OK(cuda().cuDeviceGetProperties(&properties, device_));
  EXPECT_EQ(properties.SIMDWidth, 32);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(properties.clockRate, attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
}

} // namespace
