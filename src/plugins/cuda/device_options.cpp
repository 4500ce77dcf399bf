#include "plugins/cuda/device_options.h"

#include <array>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

namespace gantry::cuda {

namespace {

constexpr unsigned kHighestLevel = 4;
constexpr unsigned kFewestRegisters = 16;
constexpr unsigned kMostRegisters = 255;
constexpr std::size_t kLargestSize = std::size_t{1} << 40;

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [read, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && read == text.data() + text.size() ? std::optional(value)
                                                                   : std::nullopt;
}

/// "4096", "64K", "256M", "1G".
std::optional<std::size_t> size_of(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  const unsigned shift = unit == kUnits.npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  text.remove_suffix(shift == 0 ? 0 : 1);
  const auto value = number<std::size_t>(text);
  return !value || *value == 0 || *value > kLargestSize >> shift ? std::nullopt
                                                                 : std::optional(*value << shift);
}

/// An option, "NAME" or "NAME=VALUE"; `set` is false if the value is not one.
struct Known {
  std::string_view name; ///< with '=' if it has a value
  std::string_view value;
  bool (*set)(DeviceOptions& options, std::string_view value);
};

constexpr auto kKnown = std::to_array<Known>({
    {"O", "0 to 4",
     [](DeviceOptions& options, std::string_view value) {
       options.optimization = number<unsigned>(value);
       return options.optimization && *options.optimization <= kHighestLevel;
     }},
    {"registers=", "a number from 16 to 255",
     [](DeviceOptions& options, std::string_view value) {
       options.registers = number<unsigned>(value);
       return options.registers && *options.registers >= kFewestRegisters &&
              *options.registers <= kMostRegisters;
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
       const auto size = size_of(value);
       options.heap = size.value_or(0);
       return size.has_value();
     }},
    {"stack=", "a number of bytes, as in 16K",
     [](DeviceOptions& options, std::string_view value) {
       options.stack = size_of(value);
       return options.stack.has_value();
     }},
});

} // namespace

tl::expected<DeviceOptions, std::string> read_device_options(std::string_view text) {
  DeviceOptions options;
  while (!text.empty()) {
    const std::size_t plus = text.find('+');
    const std::string_view word = text.substr(0, plus);
    text = plus == text.npos ? "" : text.substr(plus + 1);
    bool known = false;
    for (const Known& option : kKnown) {
      if (!word.starts_with(option.name)) {
        continue;
      }
      known = true;
      if (!option.set(options, word.substr(option.name.size()))) {
        return tl::unexpected(option.value.empty() ? fmt::format("'{}' takes no value", option.name)
                                                   : fmt::format("'{}': {} takes {}", word,
                                                                 option.name, option.value));
      }
    }
    if (!known || (plus != std::string_view::npos && text.empty())) {
      return tl::unexpected(fmt::format("'{}' is not an option of these devices, which are O0 to "
                                        "O4, registers=, line-info, debug-info, heap=, stack=",
                                        known ? "+" : word));
    }
  }
  return options;
}

void DeviceOptions::Jit::add(CUjit_option option, std::size_t value) {
  options.push_back(option);
  values.push_back(reinterpret_cast<void*>(value));
}

DeviceOptions::Jit DeviceOptions::jit() const {
  Jit jit;
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
