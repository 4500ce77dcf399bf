#include "plugins/worker/device_options.h"

#include "plugins/device_options.h"

#include <array>

namespace gantry::worker {

namespace {

constexpr std::uint64_t kMostThreads = 4096;
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 42;

constexpr std::uint64_t kPageSize = 4096;
constexpr std::uint64_t kFirstPage = 16;
constexpr std::uint64_t kLastPage = (std::uint64_t{1} << 47) / kPageSize;

constexpr auto kKnown = std::to_array<plugins::KnownOption<DeviceOptions>>({
    {"threads=", "a number from 1 to 4096, or 'limit'",
     [](DeviceOptions& options, std::string_view value) {
       const auto threads = plugins::read_number(value, 1, kMostThreads);
       options.threads = static_cast<std::uint32_t>(threads.value_or(options.threads));
       options.full_teams = options.full_teams || value == "limit";
       return threads.has_value() || value == "limit";
     }},
    {"memory=", "a number of bytes from 1M to 4096G, as in 512M",
     [](DeviceOptions& options, std::string_view value) {
       const auto memory =
           plugins::read_number(value, kLeastMemory, kMostMemory, plugins::kUnitsOfBytes);
       options.memory = memory.value_or(0);
       return memory.has_value();
     }},
    {"at=", "the number of a page from 16 on, as of `gantry replay`",
     [](DeviceOptions& options, std::string_view value) {
       const auto page = plugins::read_number(value, kFirstPage, kLastPage);
       options.at = page.value_or(0) * kPageSize;
       return page.has_value();
     }},
});

} // namespace

tl::expected<DeviceOptions, std::string> read_device_options(std::string_view text) {
  return plugins::read_options<DeviceOptions>(
      text, kKnown,
      "worker devices, which are threads=, memory= and at=; a number of devices stands in front of "
      "them, as in worker:2+threads=4");
}

} // namespace gantry::worker
