#include "plugins/cuda/device_options.h"

#include "plugins/device_options.h"

#include <array>
#include <cstdint>

namespace gantry::cuda {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

/// Sets an option to the number in `value`; false if it is none from `least` to `most`.
bool set_number(std::optional<std::size_t>& option, std::string_view value, std::uint64_t least,
                std::uint64_t most, std::string_view units = "") {
  option = plugins::read_number(value, least, most, units);
  return option.has_value();
}

constexpr auto kKnown = std::to_array<plugins::KnownOption<DeviceOptions>>({
    {"O", "0 to 4",
     [](DeviceOptions& options, std::string_view value) {
       return set_number(options.optimization, value, 0, 4);
     }},
    {"registers=", "a number from 16 to 255",
     [](DeviceOptions& options, std::string_view value) {
       return set_number(options.registers, value, 16, 255);
     }},
    {"line-info", "",
     [](DeviceOptions& options, std::string_view value) {
       options.line_info = true;
       return value.empty();
     }},
    {"debug-info", "",
     [](DeviceOptions& options, std::string_view value) {
       options.debug_info = true;
       return value.empty();
     }},
    {"heap=", "a number of bytes, as in 256M",
     [](DeviceOptions& options, std::string_view value) {
       return set_number(options.heap, value, 1, kMostBytes, plugins::kUnitsOfBytes);
     }},
    {"stack=", "a number of bytes, as in 16K",
     [](DeviceOptions& options, std::string_view value) {
       return set_number(options.stack, value, 1, kMostBytes, plugins::kUnitsOfBytes);
     }},
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
