#include "simt/host/settings.h"

#include "base/result.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <unistd.h>

namespace gantry::simt {

namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;
constexpr std::uint64_t kGigabyte = 1 << 30;
constexpr std::uint64_t kLeastMemory = 16 * kMegabyte;
constexpr std::uint64_t kMostMemory = 256 * kGigabyte;
/// Where the machine does not say how much memory it has.
constexpr std::uint64_t kDefaultMemory = 4 * kGigabyte;
/// Half of the address space that all devices share (device_memory.cpp).
constexpr std::uint64_t kMostDefaultMemory = 128 * kGigabyte;

constexpr std::array kCapabilities = {
    std::pair{5u, 0u},  std::pair{5u, 2u},  std::pair{5u, 3u},  std::pair{6u, 0u},
    std::pair{6u, 1u},  std::pair{6u, 2u},  std::pair{7u, 0u},  std::pair{7u, 2u},
    std::pair{7u, 5u},  std::pair{8u, 0u},  std::pair{8u, 6u},  std::pair{8u, 7u},
    std::pair{8u, 8u},  std::pair{8u, 9u},  std::pair{9u, 0u},  std::pair{10u, 0u},
    std::pair{10u, 3u}, std::pair{11u, 0u}, std::pair{12u, 0u}, std::pair{12u, 1u},
};

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

Status parse_mode(std::string_view value, Settings& settings) {
  if (same_word(value, "compile")) {
    settings.mode = Mode::kCompile;
  } else if (same_word(value, "interpret")) {
    settings.mode = Mode::kInterpret;
  } else if (same_word(value, "skip")) {
    settings.mode = Mode::kSkip;
  } else {
    return fail("'{}' is not one of compile, interpret, skip", value);
  }
  return {};
}

Status parse_code(std::string_view value, Settings& settings) {
  if (same_word(value, "auto")) {
    settings.code = CodeChoice::kAuto;
  } else if (same_word(value, "quick")) {
    settings.code = CodeChoice::kQuick;
  } else if (same_word(value, "optimised")) {
    settings.code = CodeChoice::kOptimised;
  } else {
    return fail("'{}' is not one of auto, quick, optimised", value);
  }
  return {};
}

// Words separated by commas. Each of the other checks needs that of memory.
Status parse_check(std::string_view value, Settings& settings) {
  Checks checks;
  if (same_word(value, "none")) {
    checks.memory = false;
    settings.checks = checks;
    return {};
  }
  for (;;) {
    const std::size_t comma = value.find(',');
    const std::string_view word = value.substr(0, comma);
    const bool all = same_word(word, "all");
    checks.race = checks.race || all || same_word(word, "race");
    checks.init = checks.init || all || same_word(word, "init");
    checks.sync = checks.sync || all || same_word(word, "sync");
    constexpr std::array<std::string_view, 5> kWords = {"memory", "race", "init", "sync", "all"};
    if (std::ranges::none_of(kWords, [&](auto known) { return same_word(word, known); })) {
      return fail("'{}' is not one of memory, race, init, sync, all (several are separated by "
                  "commas), and not none by itself",
                  word);
    }
    if (comma == std::string_view::npos) {
      settings.checks = checks;
      return {};
    }
    value.remove_prefix(comma + 1);
  }
}

template <unsigned Settings::* kCount, unsigned kMost>
Status parse_count(std::string_view value, Settings& settings) {
  const auto number = parse_number<unsigned>(value);
  if (!number || *number > kMost) {
    return fail("'{}' is not a number from 0 to {}", value, kMost);
  }
  settings.*kCount = *number;
  return {};
}

template <std::string Settings::* kText>
Status parse_text(std::string_view value, Settings& settings) {
  settings.*kText = value;
  return {};
}

Status parse_memory(std::string_view value, Settings& settings) {
  std::string_view digits = value;
  unsigned shift = 0;
  if (!digits.empty()) {
    switch (std::toupper(static_cast<unsigned char>(digits.back()))) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    default:
      break;
    }
    digits.remove_suffix(shift == 0 ? 0 : 1);
  }
  const auto number = parse_number<std::uint64_t>(digits);
  if (!number || *number > kMostMemory >> shift || *number << shift < kLeastMemory) {
    return fail("'{}' is not a size from {}M to {}G, in bytes or with the unit K, M or G, as in 4G",
                value, kLeastMemory / kMegabyte, kMostMemory / kGigabyte);
  }
  settings.memory = *number << shift;
  return {};
}

Status parse_arena(std::string_view value, Settings& settings) {
  constexpr std::uint64_t kUnit = 32 << 20; // what device memory is committed in
  constexpr std::uint64_t kLast = std::uint64_t{1} << 47;
  const auto number = value.starts_with("0x")
                          ? parse_number<std::uint64_t>(value.substr(2), /*base=*/16)
                          : std::nullopt;
  if (!number || *number == 0 || *number % kUnit != 0 || *number > kLast) {
    return fail("'{}' is not an address such as 0x2a0000000000: a multiple of 32 MiB", value);
  }
  settings.arena = *number;
  return {};
}

/// "9.0", "90" or "sm_90".
std::optional<std::pair<unsigned, unsigned>> capability_named(std::string_view text) {
  std::string_view major;
  std::string_view minor;
  const bool target = text.starts_with("sm_");
  const std::size_t dot = text.find('.');
  if (!target && dot != std::string_view::npos) {
    major = text.substr(0, dot);
    minor = text.substr(dot + 1);
  } else {
    text.remove_prefix(target ? 3 : 0);
    if (text.size() < 2) {
      return std::nullopt;
    }
    major = text.substr(0, text.size() - 1);
    minor = text.substr(text.size() - 1);
  }
  const auto major_number = parse_number<unsigned>(major);
  const auto minor_number = parse_number<unsigned>(minor);
  if (!major_number || !minor_number) {
    return std::nullopt;
  }
  return std::pair{*major_number, *minor_number};
}

Status parse_capability(std::string_view value, Settings& settings) {
  const auto capability = capability_named(value);
  if (!capability || std::ranges::find(kCapabilities, *capability) == kCapabilities.end()) {
    std::string known;
    for (const auto& [major, minor] : kCapabilities) {
      known += fmt::format("{}{}.{}", known.empty() ? "" : ", ", major, minor);
    }
    return fail("'{}' is not one of {} (9.0 may be written 90 or sm_90)", value, known);
  }
  std::tie(settings.capability_major, settings.capability_minor) = *capability;
  return {};
}

// The words that are not ours belong to other parts of Gantry, which check them.
Status parse_info(std::string_view value, Settings& settings) {
  for (;;) {
    const std::size_t comma = value.find(',');
    const std::string_view word = value.substr(0, comma);
    settings.info = settings.info || same_word(word, "simt") || same_word(word, "all");
    if (comma == std::string_view::npos) {
      return {};
    }
    value.remove_prefix(comma + 1);
  }
}

struct Variable {
  SettingRow row;
  Status (*parse)(std::string_view value, Settings& settings);
};

constexpr std::array kVariables = {
    Variable{{"GANTRY_SIMT_MODE", "compile",
              "how kernels run: compile (to machine code), interpret (instruction by instruction; "
              "slow, for debugging), skip (not at all: what is left of a program's time is the "
              "host's)"},
             parse_mode},
    Variable{{"GANTRY_SIMT_CODE", "auto",
              "machine code of kernels. quick: made in little time; optimised: runs faster, takes "
              "four times as long to make; auto: quick at first, optimised beside it once a kernel "
              "has run for about as long as that takes"},
             parse_code},
    Variable{
        {"GANTRY_SIMT_CHECK", "memory",
         "what ends a launch with a report. memory: an access outside of live allocations; "
         "race: two accesses of a block's threads that no barrier orders; init: a load of what "
         "was never written; sync: a barrier or warp-level operation that is misused; several "
         "are separated by commas; all; none: full speed, a wrong access may do anything"},
        parse_check},
    Variable{{"GANTRY_SIMT_THREADS", "0", "host threads that run blocks; 0: all cores"},
             parse_count<&Settings::threads, 1024>},
    Variable{{"GANTRY_SIMT_DEVICES", "1", "devices to offer"}, parse_count<&Settings::devices, 64>},
    Variable{{"GANTRY_SIMT_MEMORY", "",
              "bytes of each device, as in 512M or 4G; unset: half of the machine's memory"},
             parse_memory},
    Variable{{"GANTRY_SIMT_ARENA", "",
              "address at which device memory begins, as in 0x2a0000000000; unset: where there is "
              "room. For `gantry replay`"},
             parse_arena},
    Variable{{"GANTRY_SIMT_CAPABILITY", "9.0", "compute capability of the devices"},
             parse_capability},
    Variable{{"GANTRY_SIMT_MULTIPROCESSORS", "0",
              "multiprocessors that a device says it has; 0: as many as host threads"},
             parse_count<&Settings::multiprocessors, 1024>},
    Variable{{"GANTRY_SIMT_NAME", "Gantry PTX executor", "name of the devices"},
             parse_text<&Settings::name>},
    Variable{{"GANTRY_SIMT_PROCESSOR", "gfx906",
              "which of AMD's GPUs the devices are that HSA programs find: gfx906, gfx900, gfx803, "
              "gfx90a"},
             parse_text<&Settings::processor>},
    Variable{{"GANTRY_SIMT_CACHE", "",
              "folder for compiled kernels, or off; unset: the user's cache folder"},
             parse_text<&Settings::cache>},
    Variable{{"GANTRY_INFO", "",
              "what to print on stderr (several are separated by commas): simt for what programs "
              "ask for that the executor does not offer; all"},
             parse_info},
};

constexpr std::array kRows = [] {
  std::array<SettingRow, kVariables.size()> rows = {};
  std::ranges::transform(kVariables, rows.begin(), &Variable::row);
  return rows;
}();

std::uint64_t default_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) {
    return kDefaultMemory;
  }
  const std::uint64_t half =
      static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 2;
  return std::min(half, kMostDefaultMemory);
}

} // namespace

Settings read_settings(const Environment& environment) {
  Settings settings;
  settings.memory = default_memory();
  for (const Variable& variable : kVariables) {
    const char* value = environment(variable.row.name);
    if (value == nullptr || *value == '\0') {
      value = variable.row.default_value;
    }
    if (*value == '\0') {
      continue;
    }
    if (const Status status = variable.parse(value, settings); !status) {
      settings.error += fmt::format("{}{}: {}", settings.error.empty() ? "" : "\n",
                                    variable.row.name, status.error().message);
    }
  }
  return settings;
}

const Settings& settings() {
  // Never destroyed: runtimes call the driver from their last destructors.
  static const auto* const read =
      new Settings(read_settings([](const char* name) { return secure_getenv(name); }));
  return *read;
}

std::span<const SettingRow> setting_rows() {
  return kRows;
}

} // namespace gantry::simt
