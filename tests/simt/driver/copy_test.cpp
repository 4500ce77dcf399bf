#include "driver_test.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace {

class CopyTest : public DriverTest {
protected:
  static std::vector<std::uint32_t> ascending(std::size_t count) {
    std::vector<std::uint32_t> result(count);
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
};

CUdeviceptr address_of(const void* host) {
  return reinterpret_cast<CUdeviceptr>(host);
}

TEST_F(CopyTest, ThereAndBack) {
  const auto data = ascending(1000);
  const CUdeviceptr a = allocate(4000);
  const CUdeviceptr b = allocate(4000);
  EXPECT_OK(cuda().cuMemcpyHtoD_v2(a, data.data(), 4000));
  EXPECT_OK(cuda().cuMemcpyDtoD_v2(b, a, 4000));
  EXPECT_EQ(words(b, 1000), data);
}

TEST_F(CopyTest, DirectionIsInferred) {
  const auto data = ascending(100);
  std::vector<std::uint32_t> back(100);
  const CUdeviceptr a = allocate(400);
  EXPECT_OK(cuda().cuMemcpy(a, address_of(data.data()), 400));
  EXPECT_OK(cuda().cuMemcpy(address_of(back.data()), a, 400));
  EXPECT_EQ(back, data);
}

TEST_F(CopyTest, RangesAreChecked) {
  std::vector<char> host(1000);
  const CUdeviceptr a = allocate(100);
  EXPECT_EQ(cuda().cuMemcpyHtoD_v2(a, host.data(), 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemcpyHtoD_v2(a + 50, host.data(), 51), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemcpyDtoH_v2(host.data(), a, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemcpyHtoD_v2(0, host.data(), 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemcpyHtoD_v2(a, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemcpyDtoH_v2(nullptr, a, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemcpyHtoD_v2(address_of(host.data()), host.data(), 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemcpyDtoD_v2(a, a + 64, UINT64_MAX), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuMemcpyHtoD_v2(a, host.data(), 0));
  EXPECT_OK(cuda().cuMemcpyHtoD_v2(a + 99, host.data(), 1));
  // Argument errors leave the context as it is.
  EXPECT_OK(cuda().cuCtxSynchronize());
}

TEST_F(CopyTest, Rectangle) {
  // A 4x3 part at (1, 2) of a 10x8 matrix on the host, to (2, 1) of a pitched one on the device.
  const auto data = ascending(80);
  CUdeviceptr device = 0;
  std::size_t pitch = 0;
  ASSERT_OK(cuda().cuMemAllocPitch_v2(&device, &pitch, 24, 5, 4));
  EXPECT_OK(cuda().cuMemsetD2D8_v2(device, pitch, 0xFF, 24, 5));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = data.data();
  copy.srcPitch = 40;
  copy.srcXInBytes = 4;
  copy.srcY = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = device;
  copy.dstPitch = pitch;
  copy.dstXInBytes = 8;
  copy.dstY = 1;
  copy.WidthInBytes = 16;
  copy.Height = 3;
  EXPECT_OK(cuda().cuMemcpy2D_v2(&copy));
  std::vector<std::uint32_t> back(30);
  CUDA_MEMCPY2D out = {};
  out.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  out.srcDevice = device;
  out.srcPitch = pitch;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = back.data();
  out.dstPitch = 24;
  out.WidthInBytes = 24;
  out.Height = 5;
  EXPECT_OK(cuda().cuMemcpy2DUnaligned_v2(&out));
  for (unsigned y = 0; y < 5; ++y) {
    for (unsigned x = 0; x < 6; ++x) {
      const bool inside = x >= 2 && y >= 1 && y < 4;
      const std::uint32_t expected = inside ? (y - 1 + 2) * 10 + (x - 2 + 1) : 0xFFFFFFFF;
      EXPECT_EQ(back[y * 6 + x], expected) << x << ' ' << y;
    }
  }
  if (cuda().is_simulated) { // NVIDIA's driver copies rows behind the allocation, too
    out.Height = 6;
    EXPECT_EQ(cuda().cuMemcpy2D_v2(&out), CUDA_ERROR_INVALID_VALUE);
    out.Height = 5;
  }
  if (cuda().is_simulated) { // nor does it look at these
    out.dstPitch = 20;
    EXPECT_EQ(cuda().cuMemcpy2D_v2(&out), CUDA_ERROR_INVALID_VALUE);
    out.dstPitch = 24;
    out.srcY = SIZE_MAX / 2;
    EXPECT_EQ(cuda().cuMemcpy2D_v2(&out), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(cuda().cuMemcpy2D_v2(nullptr), CUDA_ERROR_INVALID_VALUE);
  out.srcMemoryType = static_cast<CUmemorytype>(9);
  EXPECT_EQ(cuda().cuMemcpy2D_v2(&out), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CopyTest, Box) {
  // A 2x2x2 part at (1, 1, 1) of a 4x3x3 box.
  const auto data = ascending(36);
  const CUdeviceptr device = allocate(std::size_t{36} * 4);
  EXPECT_OK(cuda().cuMemcpyHtoD_v2(device, data.data(), std::size_t{36} * 4));
  std::vector<std::uint32_t> back(8);
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = device;
  copy.srcPitch = 16;
  copy.srcHeight = 3;
  copy.srcXInBytes = 4;
  copy.srcY = 1;
  copy.srcZ = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back.data();
  copy.dstPitch = 8;
  copy.dstHeight = 2;
  copy.WidthInBytes = 8;
  copy.Height = 2;
  copy.Depth = 2;
  EXPECT_OK(cuda().cuMemcpy3D_v2(&copy));
  EXPECT_EQ(back, (std::vector<std::uint32_t>{17, 18, 21, 22, 29, 30, 33, 34}));
  copy.srcZ = 2;
  EXPECT_EQ(cuda().cuMemcpy3D_v2(&copy), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CopyTest, Fills) {
  const CUdeviceptr a = allocate(64);
  EXPECT_OK(cuda().cuMemsetD32_v2(a, 0x01020304, 16));
  EXPECT_OK(cuda().cuMemsetD16_v2(a + 4, 0xABCD, 2));
  EXPECT_OK(cuda().cuMemsetD8_v2(a + 8, 0x7F, 3));
  EXPECT_OK(cuda().cuMemsetD2D32_v2(a + 16, 16, 9, 1, 2));
  const auto result = words(a, 12);
  EXPECT_EQ(result, (std::vector<std::uint32_t>{0x01020304, 0xABCDABCD, 0x017F7F7F, 0x01020304, 9,
                                                0x01020304, 0x01020304, 0x01020304, 9, 0x01020304,
                                                0x01020304, 0x01020304}));
  EXPECT_EQ(cuda().cuMemsetD32_v2(a, 0, 17), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuMemsetD32_v2(a + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  if (cuda().is_simulated) { // NVIDIA's driver does not see that so many have no size
    EXPECT_EQ(cuda().cuMemsetD32_v2(a, 0, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(cuda().cuMemsetD8_v2(0, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CopyTest, PageableSourceMayBeReusedAtOnce) {
  CUstream stream = nullptr;
  ASSERT_OK(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUdeviceptr a = allocate(400);
  auto data = ascending(100);
  const auto expected = data;
  Gate gate;
  gate.close_in(stream);
  EXPECT_OK(cuda().cuMemcpyHtoDAsync_v2(a, data.data(), 400, stream));
  std::ranges::fill(data, 0);
  EXPECT_EQ(cuda().cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(stream));
  EXPECT_EQ(words(a, 100), expected);
}

TEST_F(CopyTest, PinnedCopiesDoNotWait) {
  CUstream stream = nullptr;
  ASSERT_OK(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  void* pinned = nullptr;
  ASSERT_OK(cuda().cuMemAllocHost_v2(&pinned, 400));
  auto* const host = static_cast<std::uint32_t*>(pinned);
  host[0] = 1;
  const CUdeviceptr a = allocate(400);
  EXPECT_OK(cuda().cuMemsetD32_v2(a, 5, 100));
  EXPECT_OK(cuda().cuCtxSynchronize());
  Gate gate;
  gate.close_in(stream);
  EXPECT_OK(cuda().cuMemcpyDtoHAsync_v2(pinned, a, 400, stream));
  EXPECT_EQ(host[0], 1U);
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(stream));
  EXPECT_EQ(host[0], 5U);
  EXPECT_OK(cuda().cuMemFreeHost(pinned));
}

TEST_F(CopyTest, CopiesInBatches) {
  CUstream s = nullptr;
  ASSERT_OK(cuda().cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  const CUdeviceptr a = allocate(256);
  std::vector<std::uint32_t> host(64, 3);
  std::vector<std::uint32_t> back(32);
  CUdeviceptr to[] = {a, reinterpret_cast<CUdeviceptr>(back.data())};
  CUdeviceptr from[] = {reinterpret_cast<CUdeviceptr>(host.data()), a};
  std::size_t sizes[] = {256, 128};
  CUmemcpyAttributes attributes[2] = {};
  attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
  attributes[1].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  std::size_t first[] = {0, 1};
  EXPECT_OK(cuda().cuMemcpyBatchAsync_v2(to, from, sizes, 2, attributes, first, 2, s));
  EXPECT_OK(cuda().cuStreamSynchronize(s));
  EXPECT_EQ(back, std::vector<std::uint32_t>(32, 3));
  std::size_t failed = 0;
  sizes[1] = 1 << 20;
  EXPECT_EQ(cuda().cuMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 2, &failed, s),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, 1U);
  sizes[1] = 128;
  first[1] = 0;
  EXPECT_EQ(cuda().cuMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 2, &failed, s),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(failed, SIZE_MAX);
  EXPECT_EQ(cuda().cuMemcpyBatchAsync_v2(to, from, sizes, 2, attributes, first, 1, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

} // namespace
