// Options of a device, which follow its name in GANTRY_DEVICES: words separated by '+', each "NAME"
// or "NAME=VALUE".
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <tl/expected.hpp>

namespace gantry::plugins {

/// The words of `text`. "" has none, and "a+" has an empty one behind the first.
inline std::vector<std::string_view> split_options(std::string_view text) {
  std::vector<std::string_view> words;
  for (bool more = !text.empty(); more;) {
    const std::size_t plus = text.find('+');
    words.push_back(text.substr(0, plus));
    more = plus != text.npos;
    text.remove_prefix(more ? plus + 1 : text.size());
  }
  return words;
}

/// The number in `text`; nothing if it is none from `least` to `most`. It may end with one of
/// `units`, which stand for 1024, 1024² and so on.
inline std::optional<std::uint64_t> read_number(std::string_view text, std::uint64_t least,
                                                std::uint64_t most, std::string_view units = "") {
  const std::size_t unit = text.empty() ? units.npos : units.find(text.back());
  const unsigned shift = unit == units.npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  text.remove_suffix(shift == 0 ? 0 : 1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && end == text.data() + text.size() &&
                    value <= most >> shift && value << shift >= least;
  return good ? std::optional(value << shift) : std::nullopt;
}

inline constexpr std::string_view kUnitsOfBytes = "KMG";

template <typename Options>
struct KnownOption {
  std::string_view name;  ///< with '=' if it has a value
  std::string_view takes; ///< what its value is, for messages; empty: it has none
  /// False if `value` is not one.
  bool (*set)(Options& options, std::string_view value);
};

/// Reads options. The error names the one that is not understood; `devices` goes on with "is not an
/// option of".
template <typename Options>
tl::expected<Options, std::string> read_options(std::string_view text,
                                                std::span<const KnownOption<Options>> all_known,
                                                std::string_view devices) {
  Options options;
  for (const std::string_view word : split_options(text)) {
    bool known = false;
    for (const auto& [name, takes, set] : all_known) {
      if (!word.starts_with(name)) {
        continue;
      }
      known = true;
      if (!set(options, word.substr(name.size()))) {
        return tl::unexpected(takes.empty() ? fmt::format("'{}' takes no value", name)
                                            : fmt::format("'{}': {} takes {}", word, name, takes));
      }
    }
    if (!known) {
      return tl::unexpected(
          fmt::format("'{}' is not an option of {}", word.empty() ? "+" : word, devices));
    }
  }
  return options;
}

} // namespace gantry::plugins
