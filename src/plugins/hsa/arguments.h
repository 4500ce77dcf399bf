// The kernel arguments of launches, in memory of the host that the device reads: the program's, and
// behind them what the launch adds.
#pragma once

#include "plugins/hsa/device.h"
#include "plugins/hsa/stream.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gantry::hsa {

/// Memory for the arguments of the launches in one stream, used again and again. Used by one thread
/// at a time. Functions with a status return GANTRY_SUCCESS or an error, kept.
class ArgumentMemory {
public:
  explicit ArgumentMemory(Device& device) : device_(device) {}
  ArgumentMemory(const ArgumentMemory&) = delete;
  ArgumentMemory& operator=(const ArgumentMemory&) = delete;

  /// Room for the launch that is put in next.
  std::int32_t reserve(Stream& stream, std::size_t size, std::byte*& memory);
  /// Frees it all; nothing uses it any more.
  std::int32_t release();

private:
  /// Filled one after the other; one is used again when its launches are done.
  struct Page {
    std::byte* memory = nullptr;
    std::size_t capacity = 0;
    std::size_t used = 0;
    Stream::Ticket last = 0; ///< of the launches that use it
  };

  Device& device_;
  std::array<Page, 2> pages_;
  std::size_t turn_ = 0;
};

} // namespace gantry::hsa
