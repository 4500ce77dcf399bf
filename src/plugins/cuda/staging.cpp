#include "plugins/cuda/staging.h"

#include "plugins/cuda/driver.h"

#include <algorithm>
#include <cstring>

namespace gantry::cuda {

namespace {

constexpr std::size_t kBufferBytes = 2 << 20;

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
      (void)driver().cuMemFreeHost(buffer.memory);
    }
  }
}

std::int32_t Staging::next(Buffer*& buffer) {
  buffer = &buffers_[turn_];
  turn_ = (turn_ + 1) % kBuffers;
  if (buffer->memory == nullptr) {
    void* memory = nullptr;
    GANTRY_CUDA_TRY(cuMemHostAlloc, &memory, kBufferBytes, 0);
    buffer->memory = static_cast<std::byte*>(memory);
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

void Staging::give_up() {
  for (Buffer& buffer : buffers_) {
    buffer.to = nullptr;
  }
  any_to_bring_ = false;
}

} // namespace gantry::cuda
