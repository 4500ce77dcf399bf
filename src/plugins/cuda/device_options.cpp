#include "plugins/cuda/device_options.h"

#include "plugins/device_options.h"

#include <array>
#include <cstdint>

namespace gantry::cuda {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

/// Sets an option to the number in `value`; false if it is none from `kLeast` to `kMost`.
template <std::optional<std::size_t> DeviceOptions::* kOption, std::uint64_t kLeast,
          std::uint64_t kMost>
bool set_number(DeviceOptions& options, std::string_view value) {
  const std::string_view units = kMost == kMostBytes ? plugins::kUnitsOfBytes : "";
  options.*kOption = plugins::read_number(value, kLeast, kMost, units);
  return (options.*kOption).has_value();
}

template <bool DeviceOptions::* kOption>
bool set_flag(DeviceOptions& options, std::string_view value) {
  options.*kOption = true;
  return value.empty();
}

constexpr auto kKnown = std::to_array<plugins::KnownOption<DeviceOptions>>({
    {"O", "0 to 4", set_number<&DeviceOptions::optimization, 0, 4>},
    {"registers=", "a number from 16 to 255", set_number<&DeviceOptions::registers, 16, 255>},
    {"line-info", "", set_flag<&DeviceOptions::line_info>},
    {"debug-info", "", set_flag<&DeviceOptions::debug_info>},
    {"heap=", "a number of bytes, as in 256M", set_number<&DeviceOptions::heap, 1, kMostBytes>},
    {"stack=", "a number of bytes, as in 16K", set_number<&DeviceOptions::stack, 1, kMostBytes>},
});

} // namespace

tl::expected<DeviceOptions, std::string> read_device_options(std::string_view text) {
  return plugins::read_options<DeviceOptions>(
      text, kKnown,
      "these devices, which are O0 to O4, registers=, line-info, debug-info, heap=, stack=");
}

void DeviceOptions::Jit::add(CUjit_option option, std::size_t value) {
  options.push_back(option);
  values.push_back(reinterpret_cast<void*>(value));
}

DeviceOptions::Jit DeviceOptions::jit(std::span<char> log) const {
  Jit jit;
  jit.add(CU_JIT_ERROR_LOG_BUFFER, reinterpret_cast<std::size_t>(log.data()));
  jit.add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, log.size());
  if (optimization) {
    jit.add(CU_JIT_OPTIMIZATION_LEVEL, *optimization);
  }
  if (registers) {
    jit.add(CU_JIT_MAX_REGISTERS, *registers);
  }
  if (line_info) {
    jit.add(CU_JIT_GENERATE_LINE_INFO, 1);
  }
  if (debug_info) {
    jit.add(CU_JIT_GENERATE_DEBUG_INFO, 1);
  }
  return jit;
}

} // namespace gantry::cuda
