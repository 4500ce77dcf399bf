#include "plugins/worker/device_options.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace gantry::worker {

namespace {

constexpr std::uint64_t kMostThreads = 4096;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 42;
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20;

/// "4", and with a unit "64K", "256M", "1G".
std::optional<std::uint64_t> number(std::string_view text, std::string_view units) {
  unsigned shift = 0;
  if (!text.empty()) {
    const std::size_t unit = units.find(text.back());
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      text.remove_suffix(1);
    }
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good =
      error == std::errc() && end == text.data() + text.size() && value <= kMostMemory >> shift;
  return good ? std::optional(value << shift) : std::nullopt;
}

/// Why the option is wrong; empty if it is not.
std::string read(std::string_view word, DeviceOptions& options) {
  constexpr std::string_view kThreads = "threads=";
  constexpr std::string_view kMemory = "memory=";
  if (word == "threads=limit") {
    options.full_teams = true;
    return {};
  }
  if (word.starts_with(kThreads)) {
    const auto threads = number(word.substr(kThreads.size()), "");
    if (!threads || *threads == 0 || *threads > kMostThreads) {
      return fmt::format("'{}': threads= takes a number from 1 to {}, or 'limit'", word,
                         kMostThreads);
    }
    options.threads = static_cast<std::uint32_t>(*threads);
    return {};
  }
  if (word.starts_with(kMemory)) {
    const auto memory = number(word.substr(kMemory.size()), "KMG");
    if (!memory || *memory < kLeastMemory) {
      return fmt::format("'{}': memory= takes a number of bytes from 1M to {}G, as in 512M", word,
                         kMostMemory >> 30);
    }
    options.memory = *memory;
    return {};
  }
  return fmt::format("'{}' is not an option of worker devices, which are threads= and memory=; a "
                     "number of devices stands in front of them, as in worker:2+threads=4",
                     word);
}

} // namespace

tl::expected<DeviceOptions, std::string> read_device_options(std::string_view text) {
  DeviceOptions options;
  for (bool more = !text.empty(); more;) {
    const std::size_t plus = text.find('+');
    more = plus != std::string_view::npos;
    if (std::string problem = read(text.substr(0, plus), options); !problem.empty()) {
      return tl::unexpected(std::move(problem));
    }
    text.remove_prefix(more ? plus + 1 : text.size());
  }
  return options;
}

} // namespace gantry::worker
