#include "simt/driver/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gantry::simt::driver {

namespace {

std::uint32_t number_in(const void* cell) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(cell));
}

} // namespace

CUresult JitOptions::read(unsigned count, const CUjit_option* options, void** values,
                          JitOptions& result) {
  if (count != 0 && (options == nullptr || values == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (unsigned i = 0; i < count; ++i) {
    void** const cell = values + i;
    switch (options[i]) {
    case CU_JIT_INFO_LOG_BUFFER:
      result.info_.buffer = static_cast<char*>(*cell);
      break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      result.info_.size = number_in(*cell);
      result.info_.size_cell = cell;
      break;
    case CU_JIT_ERROR_LOG_BUFFER:
      result.error_.buffer = static_cast<char*>(*cell);
      break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      result.error_.size = number_in(*cell);
      result.error_.size_cell = cell;
      break;
    case CU_JIT_WALL_TIME:
      result.time_cell_ = cell;
      break;
    case CU_JIT_LOG_VERBOSE:
      result.verbose_ = *cell != nullptr;
      break;
    default:
      if (options[i] < CU_JIT_MAX_REGISTERS || options[i] > CU_JIT_SPLIT_COMPILE) {
        return CUDA_ERROR_INVALID_VALUE;
      }
    }
  }
  result.info_.finish();
  result.error_.finish();
  return CUDA_SUCCESS;
}

void JitOptions::Log::append(std::string_view text) {
  if (!has_room()) {
    return;
  }
  const std::size_t length = std::min(text.size(), size - 1 - used);
  std::memcpy(buffer + used, text.data(), length);
  used += length;
  finish();
}

void JitOptions::Log::finish() {
  if (has_room()) {
    buffer[used] = '\0';
  }
  if (size_cell != nullptr) {
    *size_cell = reinterpret_cast<void*>(used);
  }
}

void JitOptions::write_error(std::string_view text) {
  error_.append(text);
}
void JitOptions::write_info(std::string_view text) {
  info_.append(text);
}

void JitOptions::write_time(std::chrono::steady_clock::duration duration) {
  if (time_cell_ != nullptr) {
    const float milliseconds = std::chrono::duration<float, std::milli>(duration).count();
    std::memcpy(time_cell_, &milliseconds, sizeof(milliseconds));
  }
}

} // namespace gantry::simt::driver
