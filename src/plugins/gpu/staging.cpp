#include "plugins/gpu/staging.h"

#include "plugins/gpu/status.h"
#include "plugins/last_error.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace gantry::gpu {

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;
/// Pieces from this size on are delivered past the caches, as they would not find room in them: an
/// H200 brings 14 GB/s that way, 7.7 GB/s through the caches.
constexpr std::size_t kStreamed = 256 << 10;
/// Buffers that are kept while no stream has them.
constexpr std::size_t kMostKept = 16;

#if defined(__x86_64__)
/// As memcpy(), with stores past the caches.
void copy_streamed(std::byte* to, const std::byte* from, std::size_t size) {
  constexpr std::size_t kStore = sizeof(__m128i);
  const std::size_t head = std::min(size, -reinterpret_cast<std::uintptr_t>(to) % kStore);
  std::memcpy(to, from, head);
  std::size_t at = head;
  for (; at + kStore <= size; at += kStore) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
  }
  _mm_sfence();
  std::memcpy(to + at, from + at, size - at);
}
#else
void copy_streamed(std::byte* to, const std::byte* from, std::size_t size) {
  std::memcpy(to, from, size);
}
#endif

void deliver(void*& to, const std::byte* memory, std::size_t size) {
  if (to == nullptr) {
    return;
  }
  if (size >= kStreamed) {
    copy_streamed(static_cast<std::byte*>(to), memory, size);
  } else {
    std::memcpy(to, memory, size);
  }
  to = nullptr;
}

} // namespace

std::int32_t PinnedBuffers::take(std::byte*& buffer) {
  {
    const std::lock_guard lock(mutex_);
    if (!kept_.empty()) {
      buffer = kept_.back();
      kept_.pop_back();
      return GANTRY_SUCCESS;
    }
  }
  void* memory = nullptr;
  GANTRY_STATUS_TRY(source_.allocate_pinned(kBufferBytes, memory));
  buffer = static_cast<std::byte*>(memory);
  count_.fetch_add(1, std::memory_order_relaxed);
  return GANTRY_SUCCESS;
}

void PinnedBuffers::give_back(std::byte* buffer) {
  {
    const std::lock_guard lock(mutex_);
    if (kept_.size() < kMostKept) {
      kept_.push_back(buffer);
      return;
    }
  }
  (void)source_.free_pinned(buffer);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

std::int32_t PinnedBuffers::free_kept() {
  const std::lock_guard lock(mutex_);
  std::int32_t status = GANTRY_SUCCESS;
  for (std::byte* const buffer : kept_) {
    keep_failure(status, source_.free_pinned(buffer));
  }
  count_.fetch_sub(kept_.size(), std::memory_order_relaxed);
  kept_.clear();
  return status;
}

std::size_t PinnedBuffers::bytes() const {
  return count_.load(std::memory_order_relaxed) * kBufferBytes;
}

Staging::~Staging() {
  for (const Buffer& buffer : buffers_) {
    if (buffer.memory != nullptr) {
      pinned_.give_back(buffer.memory);
    }
  }
}

std::int32_t Staging::next(unsigned& number) {
  number = turn_;
  Buffer& buffer = buffers_[number];
  has_many_ = has_many_ || turn_ != 0;
  turn_ = (turn_ + 1) % kBuffers;
  if (buffer.memory == nullptr) {
    GANTRY_STATUS_TRY(pinned_.take(buffer.memory));
  }
  GANTRY_STATUS_TRY(copies_.wait_for(number));
  deliver(buffer.to, buffer.memory, buffer.size);
  return GANTRY_SUCCESS;
}

std::int32_t Staging::submit(void* to, const void* from, std::size_t size) {
  const auto* source = static_cast<const std::byte*>(from);
  for (std::size_t done = 0; done < size;) {
    const std::size_t piece = std::min(size - done, kBufferBytes);
    unsigned number = 0;
    GANTRY_STATUS_TRY(next(number));
    std::memcpy(buffers_[number].memory, source + done, piece);
    GANTRY_STATUS_TRY(copies_.copy_in(number, static_cast<std::byte*>(to) + done,
                                      buffers_[number].memory, piece));
    done += piece;
  }
  return GANTRY_SUCCESS;
}

std::int32_t Staging::retrieve(void* to, const void* from, std::size_t size) {
  auto* target = static_cast<std::byte*>(to);
  for (std::size_t done = 0; done < size;) {
    const std::size_t piece = std::min(size - done, kBufferBytes);
    unsigned number = 0;
    GANTRY_STATUS_TRY(next(number));
    Buffer& buffer = buffers_[number];
    GANTRY_STATUS_TRY(
        copies_.copy_out(number, buffer.memory, static_cast<const std::byte*>(from) + done, piece));
    buffer.to = target + done;
    buffer.size = piece;
    undelivered_ = true;
    done += piece;
  }
  return GANTRY_SUCCESS;
}

void Staging::deliver_all() {
  for (Buffer& buffer : buffers_) {
    deliver(buffer.to, buffer.memory, buffer.size);
  }
  undelivered_ = false;
}

void Staging::give_back_many() {
  for (std::size_t i = 1; i < kBuffers; ++i) {
    if (std::byte* const memory = std::exchange(buffers_[i].memory, nullptr); memory != nullptr) {
      pinned_.give_back(memory);
    }
  }
  has_many_ = false;
}

void Staging::give_up() {
  for (Buffer& buffer : buffers_) {
    buffer.to = nullptr;
  }
  undelivered_ = false;
}

} // namespace gantry::gpu
