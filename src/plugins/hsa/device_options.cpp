#include "plugins/hsa/device_options.h"

#include "plugins/device_options.h"

#include <array>
#include <cstdint>

namespace gantry::hsa {

namespace {

/// Sets an option to the number in `value`; false if it is none from `kLeast` to `kMost`.
template <std::optional<std::size_t> DeviceOptions::* kOption, std::uint64_t kLeast,
          std::uint64_t kMost>
bool set_bytes(DeviceOptions& options, std::string_view value) {
  options.*kOption = plugins::read_number(value, kLeast, kMost, plugins::kUnitsOfBytes);
  return (options.*kOption).has_value();
}

/// The largest that a packet's field for private memory holds, in whole kilobytes.
constexpr std::uint64_t kMostStack = 0xffff'fc00;
constexpr std::uint64_t kMostHeap = std::uint64_t{1} << 40;
constexpr std::uint64_t kLeastHeap = 4096;

constexpr auto kKnown = std::to_array<plugins::KnownOption<DeviceOptions>>({
    {"heap=", "a number of bytes, as in 256M",
     set_bytes<&DeviceOptions::heap, kLeastHeap, kMostHeap>},
    {"stack=", "a number of bytes, as in 64K", set_bytes<&DeviceOptions::stack, 16, kMostStack>},
});

} // namespace

tl::expected<DeviceOptions, std::string> read_device_options(std::string_view text) {
  return plugins::read_options<DeviceOptions>(text, kKnown,
                                              "these devices, which are heap=, stack=");
}

} // namespace gantry::hsa
