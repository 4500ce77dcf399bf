#include "plugins/hsa/output.h"

#include "base/printf_format.h"
#include "plugins/hsa/library.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gantry::hsa {

namespace {

constexpr std::size_t kBytes = 1 << 20;
/// Written at once.
constexpr std::size_t kMostText = 64 << 10;

/// What lies in a record. A damaged one has less than its format says.
class RecordArguments final : public PrintfArguments {
public:
  explicit RecordArguments(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t take(std::size_t size) override {
    std::uint64_t value = 0;
    good_ = good_ && size <= rest_.size();
    if (good_) {
      std::memcpy(&value, rest_.data(), size);
      rest_.remove_prefix(size);
    }
    return value;
  }
  std::string take_string(std::size_t /*limit*/) override {
    const std::size_t end = rest_.find('\0');
    good_ = good_ && end != std::string_view::npos;
    if (!good_) {
      return {};
    }
    std::string string(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return string;
  }
  [[nodiscard]] bool good() const override { return good_; }

private:
  std::string_view rest_;
  bool good_ = true;
};

void append_message(std::string& text, std::string_view contents) {
  RecordArguments arguments(contents);
  const std::string format = arguments.take_string(contents.size());
  (void)append_printf(text, format, arguments);
}

gantry_output_record& record_at(gantry_output& buffer, std::uint64_t position) {
  auto* const records = reinterpret_cast<std::byte*>(&buffer + 1);
  return *reinterpret_cast<gantry_output_record*>(records + position);
}

} // namespace

std::int32_t DeviceOutput::get_address(gpu::DeviceAddress& address) {
  const std::lock_guard lock(mutex_);
  gantry_output* buffer = buffer_.load(std::memory_order_relaxed);
  if (buffer == nullptr) {
    void* memory = nullptr;
    GANTRY_STATUS_TRY(memory_.allocate_pinned(kBytes, memory));
    std::memset(memory, 0, kBytes);
    buffer = new (memory) gantry_output();
    buffer->capacity = kBytes - sizeof *buffer;
    buffer_.store(buffer, std::memory_order_release);
  }
  address = reinterpret_cast<gpu::DeviceAddress>(buffer);
  return GANTRY_SUCCESS;
}

std::string DeviceOutput::take(gantry_output& buffer, State state) {
  std::string text;
  const std::uint64_t end =
      std::min(std::atomic_ref(buffer.reserved).load(std::memory_order_acquire), buffer.capacity);
  while (text.size() < kMostText && !at_end_ && read_ < end) {
    gantry_output_record& record = record_at(buffer, read_);
    const std::uint32_t size = std::atomic_ref(record.size).load(std::memory_order_acquire);
    if (size == GANTRY_OUTPUT_END) {
      at_end_ = true;
      record = {};
      break;
    }
    const bool complete = std::atomic_ref(record.complete).load(std::memory_order_acquire) != 0;
    if (size < sizeof record || size > buffer.capacity - read_ ||
        (!complete && state != State::kLost)) {
      break;
    }
    if (complete) {
      append_message(text, {reinterpret_cast<const char*>(&record + 1), size - sizeof record});
      std::memset(static_cast<void*>(&record), 0, size);
    }
    read_ += size;
  }
  return text;
}

void DeviceOutput::print(gantry_output& buffer, State state) {
  const std::lock_guard lock(mutex_);
  std::string text;
  do {
    text = take(buffer, state);
    std::fwrite(text.data(), 1, text.size(), stdout);
  } while (text.size() >= kMostText);
  std::fflush(stdout);
  const std::uint64_t count =
      state == State::kAtWork ? 0
                              : std::atomic_ref(buffer.lost).exchange(0, std::memory_order_relaxed);
  if (count > 0) {
    fmt::print(stderr,
               "gantry: warning: {} of device code {} lost: more was printed at a time than the {} "
               "KiB that there are for it\n",
               count == 1 ? "a message" : fmt::format("{} messages", count),
               count == 1 ? "was" : "were", kBytes >> 10);
  }
  // A lost device may still be about to write what was passed over.
  std::uint64_t reserved = std::atomic_ref(buffer.reserved).load(std::memory_order_relaxed);
  if (state != State::kLost && (at_end_ || read_ == reserved) &&
      std::atomic_ref(buffer.reserved)
          .compare_exchange_strong(reserved, 0, std::memory_order_acq_rel)) {
    read_ = 0;
    at_end_ = false;
  }
}

std::int32_t DeviceOutput::free() {
  gantry_output* const buffer = buffer_.exchange(nullptr, std::memory_order_acq_rel);
  return buffer == nullptr ? std::int32_t{GANTRY_SUCCESS} : memory_.free_pinned(buffer);
}

} // namespace gantry::hsa
