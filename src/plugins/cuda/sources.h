// What the parts that all plugins for GPUs share need of CUDA's driver.
#pragma once

#include "plugins/cuda/driver.h"
#include "plugins/gpu/memory_pool.h"
#include "plugins/gpu/staging.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gantry::cuda {

/// Device memory, and pinned memory of the host: of the device whose context is current.
class DriverMemory final : public gpu::MemorySource, public gpu::PinnedSource {
public:
  std::int32_t allocate(std::uint64_t size, CUdeviceptr& address) override;
  std::int32_t free(CUdeviceptr address) override;
  std::int32_t allocate_at(std::uint64_t size, CUdeviceptr address) override;
  void set_freed(CUdeviceptr address, std::uint64_t size, bool freed) override;
  std::int32_t allocate_pinned(std::size_t size, void*& memory) override;
  std::int32_t free_pinned(void* memory) override;
};

/// It has no state.
[[nodiscard]] DriverMemory& driver_memory();

/// Copies of buffers in one stream.
class StreamCopies final : public gpu::StagedCopies {
public:
  explicit StreamCopies(CUstream stream) : stream_(stream) {}
  StreamCopies(const StreamCopies&) = delete;
  StreamCopies& operator=(const StreamCopies&) = delete;
  ~StreamCopies() override;

  std::int32_t copy_in(unsigned buffer, void* to, const std::byte* memory,
                       std::size_t size) override;
  std::int32_t copy_out(unsigned buffer, std::byte* memory, const void* from,
                        std::size_t size) override;
  std::int32_t wait_for(unsigned buffer) override;

private:
  /// What the stream has got so far is the last use of the buffer.
  std::int32_t mark(unsigned buffer);

  CUstream stream_;
  std::array<CUevent, kBuffers> done_ = {}; ///< with what each buffer was used for last
};

} // namespace gantry::cuda
