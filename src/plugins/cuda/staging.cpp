#include "plugins/cuda/staging.h"

#include "plugins/cuda/driver.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace gantry::cuda {

namespace {

constexpr std::size_t kBufferBytes = 2 << 20;
/// Buffers that are kept while no stream has them, for streams of all devices.
constexpr std::size_t kMostKept = 16;

constinit std::atomic<std::size_t> buffers_there{0};

/// Never freed: kernels may run while the process ends.
struct Kept {
  std::mutex mutex;
  std::vector<std::byte*> buffers;
};

Kept& kept() {
  static auto* const all = new Kept;
  return *all;
}

std::int32_t take_buffer(std::byte*& buffer) {
  {
    const std::lock_guard lock(kept().mutex);
    if (std::vector<std::byte*>& buffers = kept().buffers; !buffers.empty()) {
      buffer = buffers.back();
      buffers.pop_back();
      return GANTRY_SUCCESS;
    }
  }
  void* memory = nullptr;
  // Pinned for all devices, because they have one address space with the host.
  GANTRY_CUDA_TRY(cuMemHostAlloc, &memory, kBufferBytes, 0);
  buffer = static_cast<std::byte*>(memory);
  buffers_there.fetch_add(1, std::memory_order_relaxed);
  return GANTRY_SUCCESS;
}

/// Nothing uses the buffer any more.
void give_back(std::byte* buffer) {
  {
    const std::lock_guard lock(kept().mutex);
    if (kept().buffers.size() < kMostKept) {
      kept().buffers.push_back(buffer);
      return;
    }
  }
  (void)driver().cuMemFreeHost(buffer);
  buffers_there.fetch_sub(1, std::memory_order_relaxed);
}

void deliver(void*& to, const std::byte* memory, std::size_t size) {
  if (to != nullptr) {
    std::memcpy(to, memory, size);
    to = nullptr;
  }
}

} // namespace

Staging::~Staging() {
  for (const Buffer& buffer : buffers_) {
    if (buffer.done != nullptr) {
      (void)driver().cuEventDestroy_v2(buffer.done);
    }
    if (buffer.memory != nullptr) {
      give_back(buffer.memory);
    }
  }
}

std::size_t Staging::pinned_bytes() {
  return buffers_there.load(std::memory_order_relaxed) * kBufferBytes;
}

std::int32_t Staging::next(Buffer*& buffer) {
  buffer = &buffers_[turn_];
  has_many_ = has_many_ || turn_ != 0;
  turn_ = (turn_ + 1) % kBuffers;
  if (buffer->memory == nullptr) {
    if (const std::int32_t code = take_buffer(buffer->memory); code != GANTRY_SUCCESS) {
      return code;
    }
  }
  if (buffer->done == nullptr) {
    GANTRY_CUDA_TRY(cuEventCreate, &buffer->done, CU_EVENT_DISABLE_TIMING);
    return GANTRY_SUCCESS;
  }
  GANTRY_CUDA_TRY(cuEventSynchronize, buffer->done);
  deliver(buffer->to, buffer->memory, buffer->size);
  return GANTRY_SUCCESS;
}

std::int32_t Staging::submit(CUstream stream, CUdeviceptr to, const void* from, std::size_t size) {
  const auto* source = static_cast<const std::byte*>(from);
  for (std::size_t done = 0; done < size;) {
    const std::size_t piece = std::min(size - done, kBufferBytes);
    Buffer* buffer = nullptr;
    if (const std::int32_t code = next(buffer); code != GANTRY_SUCCESS) {
      return code;
    }
    std::memcpy(buffer->memory, source + done, piece);
    GANTRY_CUDA_TRY(cuMemcpyHtoDAsync_v2, to + done, buffer->memory, piece, stream);
    GANTRY_CUDA_TRY(cuEventRecord, buffer->done, stream);
    done += piece;
  }
  return GANTRY_SUCCESS;
}

std::int32_t Staging::retrieve(CUstream stream, void* to, CUdeviceptr from, std::size_t size) {
  auto* target = static_cast<std::byte*>(to);
  for (std::size_t done = 0; done < size;) {
    const std::size_t piece = std::min(size - done, kBufferBytes);
    Buffer* buffer = nullptr;
    if (const std::int32_t code = next(buffer); code != GANTRY_SUCCESS) {
      return code;
    }
    GANTRY_CUDA_TRY(cuMemcpyDtoHAsync_v2, buffer->memory, from + done, piece, stream);
    GANTRY_CUDA_TRY(cuEventRecord, buffer->done, stream);
    buffer->to = target + done;
    buffer->size = piece;
    any_to_bring_ = true;
    done += piece;
  }
  return GANTRY_SUCCESS;
}

void Staging::bring_all() {
  for (Buffer& buffer : buffers_) {
    deliver(buffer.to, buffer.memory, buffer.size);
  }
  any_to_bring_ = false;
}

void Staging::give_back_many() {
  for (std::size_t i = 1; i < kBuffers; ++i) {
    if (std::byte* const memory = std::exchange(buffers_[i].memory, nullptr); memory != nullptr) {
      give_back(memory);
    }
  }
  has_many_ = false;
}

void Staging::give_up() {
  for (Buffer& buffer : buffers_) {
    buffer.to = nullptr;
  }
  any_to_bring_ = false;
}

} // namespace gantry::cuda
