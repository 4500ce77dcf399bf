// The functions by which a tool traces a device (OpenMP 5.2, section 19.6.2), and the cursors by
// which it reads its buffers.
//
// A cursor is a record's address, as it is for tools of AMD's, and 0 is no record's.
#pragma once

#include <cstddef>
#include <cstdint>

#include <omp-tools.h>

namespace gantry::abi::ompt {

/// What device_initialize hands over: the function of that name, or null.
ompt_interface_fn_t look_up_for_device(const char* name);

/// The cursor of the record at `offset` in a buffer.
[[nodiscard]] inline ompt_buffer_cursor_t cursor_at(const std::byte* buffer, std::size_t offset) {
  return reinterpret_cast<std::uintptr_t>(buffer) + offset;
}
/// Where the first record lies in a buffer, so that it is aligned as its type is.
[[nodiscard]] inline std::size_t first_record(const void* buffer) {
  return -reinterpret_cast<std::uintptr_t>(buffer) % alignof(ompt_record_ompt_t);
}

} // namespace gantry::abi::ompt
