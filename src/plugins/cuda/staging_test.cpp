// Copies by way of pinned buffers, and what becomes of the buffers.
#include "plugins/gpu/staging.h"

#include "plugins/cuda/testing/open_device.h"

#include <deque>
#include <numeric>
#include <vector>

namespace gantry::cuda {
namespace {

class StagingTest : public OnDevice {
protected:
  void SetUp() override {
    OnDevice::SetUp();
    ASSERT_EQ(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&memory_, kMost), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuMemFree_v2(memory_), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamDestroy_v2(stream_), CUDA_SUCCESS);
    OnDevice::TearDown();
  }

  [[nodiscard]] void* memory() const { return reinterpret_cast<void*>(memory_); }

  static constexpr std::size_t kMost = 20 << 20; ///< bytes, more than all buffers
  CUstream stream_ = nullptr;
  CUdeviceptr memory_ = 0;
};

/// Of one stream.
struct StreamStaging : gpu::Staging {
  StreamStaging(gpu::PinnedBuffers& pinned, CUstream stream)
      : gpu::Staging(pinned, copies), copies(stream) {}
  StreamCopies copies;
};

std::vector<unsigned> numbers(std::size_t bytes, unsigned first) {
  std::vector<unsigned> values(bytes / sizeof(unsigned));
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST_F(StagingTest, AllSizesThereAndBack) {
  StreamStaging staging(device_->pinned, stream_);
  for (const std::size_t bytes : {std::size_t{4}, std::size_t{4096}, std::size_t{2} << 20,
                                  (std::size_t{2} << 20) + 4, std::size_t{9} << 20, kMost}) {
    const auto from = numbers(bytes, static_cast<unsigned>(bytes));
    auto source = from;
    ASSERT_EQ(staging.submit(memory(), source.data(), bytes), GANTRY_SUCCESS);
    std::fill(source.begin(), source.end(), 0U); // it may change by now
    std::vector<unsigned> to(from.size());
    ASSERT_EQ(staging.retrieve(to.data(), memory(), bytes), GANTRY_SUCCESS);
    ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
    staging.finish();
    EXPECT_EQ(to, from) << bytes;
  }
}

TEST_F(StagingTest, MoreRetrievedThanThereAreBuffers) {
  StreamStaging staging(device_->pinned, stream_);
  const auto from = numbers(4096, 1);
  ASSERT_EQ(staging.submit(memory(), from.data(), 4096), GANTRY_SUCCESS);
  std::vector<std::vector<unsigned>> to(11, std::vector<unsigned>(from.size()));
  for (auto& target : to) {
    ASSERT_EQ(staging.retrieve(target.data(), memory(), 4096), GANTRY_SUCCESS);
  }
  ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  staging.finish();
  for (const auto& target : to) {
    EXPECT_EQ(target, from);
  }
}

TEST_F(StagingTest, BuffersOfManyStreamsAreGivenBack) {
  constexpr std::size_t kBytes = 4 << 20; // all buffers of a stream
  constexpr std::size_t kStreams = 24;
  const auto from = numbers(kBytes, 1);
  const std::size_t before = device_->pinned.bytes();
  std::deque<StreamStaging> all;
  for (std::size_t i = 0; i < kStreams; ++i) {
    all.emplace_back(device_->pinned, stream_);
  }
  for (StreamStaging& staging : all) {
    ASSERT_EQ(staging.submit(memory(), from.data(), kBytes), GANTRY_SUCCESS);
  }
  EXPECT_GE(device_->pinned.bytes(), kStreams * kBytes);
  ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  for (StreamStaging& staging : all) {
    staging.finish();
  }
  // One of each stream, and 16 that the next one finds.
  EXPECT_LE(device_->pinned.bytes(), before + kStreams * kBytes / 4 + 16 * (std::size_t{1} << 20));
  std::vector<unsigned> to(from.size());
  ASSERT_EQ(all[0].retrieve(to.data(), memory(), kBytes), GANTRY_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  all[0].finish();
  EXPECT_EQ(to, from);
}

TEST_F(StagingTest, BuffersAreFreedWhenNoStreamHasThem) {
  const auto from = numbers(4096, 1);
  {
    StreamStaging staging(device_->pinned, stream_);
    ASSERT_EQ(staging.submit(memory(), from.data(), 4096), GANTRY_SUCCESS);
    ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
    ASSERT_EQ(device_->pinned.free_kept(), GANTRY_SUCCESS);
    EXPECT_NE(device_->pinned.bytes(), 0U) << "the stream's";
  }
  EXPECT_NE(device_->pinned.bytes(), 0U) << "for the next stream";
  ASSERT_EQ(device_->pinned.free_kept(), GANTRY_SUCCESS);
  EXPECT_EQ(device_->pinned.bytes(), 0U);
}

TEST_F(StagingTest, NothingComesAfterItIsGivenUp) {
  StreamStaging staging(device_->pinned, stream_);
  const auto from = numbers(4096, 1);
  ASSERT_EQ(staging.submit(memory(), from.data(), 4096), GANTRY_SUCCESS);
  std::vector<unsigned> to(from.size());
  ASSERT_EQ(staging.retrieve(to.data(), memory(), 4096), GANTRY_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream_), CUDA_SUCCESS);
  staging.give_up();
  staging.finish();
  EXPECT_EQ(to, std::vector<unsigned>(from.size()));
}

} // namespace
} // namespace gantry::cuda
