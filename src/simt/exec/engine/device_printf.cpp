#include "simt/exec/engine/device_printf.h"

#include "base/printf_format.h"
#include "base/result.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace gantry::simt::exec {

namespace {

/// Output that waits.
constexpr std::size_t kBufferSize = 1 << 20;

/// The arguments of a call, packed in the lane's memory. After the first one that cannot be read,
/// which is kept, all are zero.
class PackedArguments final : public PrintfArguments {
public:
  PackedArguments(const LaneMemory& memory, std::uint64_t begin) : memory_(&memory), next_(begin) {}

  std::uint64_t take(std::size_t size) override {
    std::uint64_t value = 0;
    next_ = (next_ + size - 1) & ~(size - 1);
    if (!unreadable_) {
      if (const std::byte* const place = memory_->readable(next_, size)) {
        std::memcpy(&value, place, size);
      } else {
        unreadable_ = Unreadable{next_, static_cast<std::uint32_t>(size)};
      }
    }
    next_ += size;
    ++count_;
    return value;
  }
  std::string take_string(std::size_t limit) override {
    const std::uint64_t address = take(sizeof(std::uint64_t));
    if (unreadable_) {
      return {};
    }
    auto string = read_device_string(*memory_, address, limit);
    if (!string) {
      unreadable_ = string.error();
      return {};
    }
    return *std::move(string);
  }
  [[nodiscard]] bool good() const override { return !unreadable_; }

  [[nodiscard]] std::int32_t count() const { return count_; }
  [[nodiscard]] const std::optional<Unreadable>& unreadable() const { return unreadable_; }

private:
  const LaneMemory* memory_;
  std::uint64_t next_;
  std::int32_t count_ = 0;
  std::optional<Unreadable> unreadable_;
};

struct Output {
  std::mutex mutex;
  std::string text;

  /// The mutex must be held.
  void write() {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    text.clear();
  }
};

Output& output() {
  // Never destroyed: kernels may still print while the process ends.
  static auto* const waiting = new Output();
  return *waiting;
}

} // namespace

tl::expected<std::string, Unreadable> read_device_string(const LaneMemory& memory,
                                                         std::uint64_t address, std::size_t limit) {
  std::string string;
  for (; string.size() < limit; ++address) {
    const std::byte* const place = memory.readable(address, 1);
    if (place == nullptr) {
      return tl::unexpected(Unreadable{address, 1});
    }
    if (*place == std::byte{0}) {
      break;
    }
    string += static_cast<char>(*place);
  }
  return string;
}

tl::expected<std::int32_t, Unreadable> format_device_text(std::string& text,
                                                          const LaneMemory& memory,
                                                          std::uint64_t format,
                                                          std::uint64_t arguments) {
  if (format == 0) {
    return -1;
  }
  const std::string string = GANTRY_TRY(read_device_string(memory, format));
  PackedArguments values(memory, arguments);
  if (!append_printf(text, string, values)) {
    return tl::unexpected(*values.unreadable());
  }
  return values.count();
}

void print_from_device(std::string_view text) {
  Output& waiting = output();
  const std::lock_guard lock(waiting.mutex);
  waiting.text += text;
  if (waiting.text.size() > kBufferSize) {
    waiting.write();
  }
}

void flush_device_output() {
  Output& waiting = output();
  const std::lock_guard lock(waiting.mutex);
  if (!waiting.text.empty()) {
    waiting.write();
  }
}

} // namespace gantry::simt::exec
