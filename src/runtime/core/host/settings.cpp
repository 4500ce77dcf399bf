#include "runtime/core/host/settings.h"

#include "base/installation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

namespace gantry::core {

std::atomic<Spread> spread_mode{Spread::kNone};

namespace {

template <typename Kind>
constexpr std::uint32_t bit(Kind kind) {
  return static_cast<std::uint32_t>(kind);
}

constexpr std::array kInfoNames = {
    std::pair<std::string_view, std::uint32_t>{"registration", bit(Info::kRegistration)},
    std::pair<std::string_view, std::uint32_t>{"load", bit(Info::kLoad)},
    std::pair<std::string_view, std::uint32_t>{"launch", bit(Info::kLaunch)},
    std::pair<std::string_view, std::uint32_t>{"map", bit(Info::kMap)},
    std::pair<std::string_view, std::uint32_t>{"present", bit(Info::kPresent)},
    std::pair<std::string_view, std::uint32_t>{"transfer", bit(Info::kTransfer)},
    std::pair<std::string_view, std::uint32_t>{"table", bit(Info::kTable)},
    std::pair<std::string_view, std::uint32_t>{"stale", bit(Info::kStale)},
    // For the PTX executor, which reads the same variable where it is in the process.
    std::pair<std::string_view, std::uint32_t>{"simt", 0},
    std::pair<std::string_view, std::uint32_t>{"all", ~0u},
};

constexpr std::array kCheckNames = {
    std::pair<std::string_view, std::uint32_t>{"leaks", bit(Check::kLeaks)},
    std::pair<std::string_view, std::uint32_t>{"attached", bit(Check::kAttached)},
    std::pair<std::string_view, std::uint32_t>{"functions", bit(Check::kFunctions)},
    std::pair<std::string_view, std::uint32_t>{"map", bit(Check::kMap)},
    std::pair<std::string_view, std::uint32_t>{"all", ~0u},
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

Status parse_policy(std::string_view value, Settings& settings) {
  if (same_word(value, "default")) {
    settings.policy = OffloadPolicy::kDefault;
  } else if (same_word(value, "mandatory")) {
    settings.policy = OffloadPolicy::kMandatory;
  } else if (same_word(value, "disabled")) {
    settings.policy = OffloadPolicy::kDisabled;
  } else {
    return fail("'{}' is not one of DEFAULT, MANDATORY, DISABLED", value);
  }
  return {};
}

Status parse_default_device(std::string_view value, Settings& settings) {
  const auto number = parse_number<int>(value);
  if (!number || *number < 0) {
    return fail("'{}' is not a device number, 0 or more", value);
  }
  settings.default_device = *number;
  return {};
}

Status parse_spread(std::string_view value, Settings& settings) {
  if (same_word(value, "none")) {
    settings.spread = Spread::kNone;
  } else if (same_word(value, "load")) {
    settings.spread = Spread::kLoad;
  } else if (same_word(value, "data")) {
    settings.spread = Spread::kData;
  } else {
    return fail("'{}' is not one of none, load, data", value);
  }
  return {};
}

Result<DeviceRequest> parse_device(std::string_view item) {
  DeviceRequest request;
  const std::size_t plus = item.find('+');
  std::string_view head = item.substr(0, plus);
  if (plus != std::string_view::npos) {
    request.options = item.substr(plus + 1);
    if (request.options.empty()) {
      return fail("'{}' has no option after '+'", item);
    }
  }
  const std::size_t colon = head.find(':');
  if (colon != std::string_view::npos) {
    std::string_view count_text = head.substr(colon + 1);
    const bool has_kind = !count_text.empty() && count_text[0] >= 'a' && count_text[0] <= 'z';
    if (has_kind) {
      const std::size_t end = std::min(count_text.find(':'), count_text.size());
      request.kind = count_text.substr(0, end);
      count_text = count_text.substr(std::min(end + 1, count_text.size()));
    }
    if (!has_kind || head.find(':', colon + 1) != std::string_view::npos) {
      const auto count = parse_number<std::int32_t>(count_text);
      if (!count || *count < 1) {
        return fail("'{}' has no number from 1 to {} after ':'", item,
                    std::numeric_limits<std::int32_t>::max());
      }
      request.count = *count;
    }
    head = head.substr(0, colon);
  }
  if (head.empty()) {
    return fail("'{}' names no kind of device", item);
  }
  request.plugin = head;
  return request;
}

Status parse_devices(std::string_view value, Settings& settings) {
  settings.automatic_devices = value == "auto";
  if (settings.automatic_devices) {
    return {};
  }
  for (const std::string_view item : split(value, ',')) {
    Result<DeviceRequest> request = parse_device(item);
    if (!request) {
      return fail("{}; an item is name[:count][+option…], as in cpu:2,cpu+separate",
                  request.error().message);
    }
    settings.devices.push_back(std::move(*request));
  }
  return {};
}

/// Takes over the bits that the words of a list stand for.
template <typename Names>
Status parse_bits(std::string_view value, const Names& names, std::uint32_t& bits) {
  for (const std::string_view word : split(value, ',')) {
    const auto* known =
        std::ranges::find_if(names, [&](const auto& row) { return same_word(row.first, word); });
    if (known == names.end()) {
      std::vector<std::string_view> words(names.size());
      std::ranges::transform(names, words.begin(), [](const auto& row) { return row.first; });
      return fail("'{}' is not one of {} (several are separated by commas)", word,
                  fmt::join(words, ", "));
    }
    bits |= known->second;
  }
  return {};
}

Status parse_info(std::string_view value, Settings& settings) {
  return parse_bits(value, kInfoNames, settings.info);
}

Status parse_check(std::string_view value, Settings& settings) {
  return parse_bits(value, kCheckNames, settings.check);
}

Status parse_libomptarget_info(std::string_view value, Settings& settings) {
  // Stock accepts any of C's notations for the number; -1 is the usual way to ask for everything.
  if (value == "-1") {
    settings.info |= ~0u;
    return {};
  }
  const auto bits = parse_number<std::uint32_t>(value);
  if (!bits) {
    return fail("'{}' is not a number such as 1 or 0x3b", value);
  }
  settings.info |= info_from_libomptarget(*bits);
  return {};
}

Status parse_timeout(std::string_view value, Settings& settings) {
  constexpr double kLongest = 1e9;
  double seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  // At least a millisecond; what compares with nothing is no number.
  if (error != std::errc() || end != value.data() + value.size() || !(seconds >= 0.001) ||
      !(seconds <= kLongest)) {
    return fail("'{}' is not a number of seconds such as 10 or 0.5", value);
  }
  settings.time_limit = static_cast<std::uint64_t>(seconds * 1000);
  return {};
}

Status parse_save_images(std::string_view value, Settings& settings) {
  settings.save_images = value;
  return {};
}

Status parse_record(std::string_view value, Settings& settings) {
  RecordRequest& record = settings.record;
  if (value == "fault") {
    record.what = RecordRequest::What::kFault;
    return {};
  }
  constexpr std::string_view kRegion = "region";
  std::string_view rest = value;
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
    const auto number = parse_number<std::uint64_t>(rest.substr(at + 1));
    if (!number || *number == 0) {
      return fail("'{}' has no number, 1 or more, behind '@'", value);
    }
    record.number = *number;
    rest = rest.substr(0, at);
  }
  if (rest.starts_with("region:") && rest.size() > kRegion.size() + 1) {
    record.place = rest.substr(kRegion.size() + 1);
  } else if (rest != kRegion) {
    return fail("'{}' is not fault or region[:PLACE][@NUMBER], as in region:app.cpp:31@5", value);
  }
  record.what = RecordRequest::What::kRegion;
  return {};
}

Status parse_record_file(std::string_view value, Settings& settings) {
  settings.record.file = value;
  return {};
}

/// Checks the folders; plugin_library.cpp looks into them.
Status parse_plugin_path(std::string_view value, Settings& /*settings*/) {
  for (const std::string& folder : folders_of_path(value)) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
      return fail("'{}' is not a folder; name those that hold libgantry-plugin-NAME.so, separated "
                  "by ':'",
                  folder);
    }
  }
  return {};
}

/// Any values: what looks for tools reads them, and warns of what is none, as libomp does.
Status parse_of_tools(std::string_view /*value*/, Settings& /*settings*/) {
  return {};
}

Status parse_profile(std::string_view value, Settings& settings) {
  settings.profile.folder = value;
  return {};
}

Status parse_profile_options(std::string_view value, Settings& settings) {
  constexpr std::string_view kLimit = "limit=";
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  for (const std::string_view word : split(value, ',')) {
    if (word == "data") {
      settings.profile.data = true;
    } else if (word.starts_with(kLimit)) {
      const auto mebibytes = parse_number<std::uint64_t>(word.substr(kLimit.size()));
      if (!mebibytes || *mebibytes == 0 || *mebibytes > std::uint64_t{1} << 20) {
        return fail("'{}' has no number of MiB from 1 to 1048576 after '='", word);
      }
      settings.profile.limit = *mebibytes * kMebibyte;
    } else {
      return fail("'{}' is neither data nor limit=MIB (both are separated by a comma)", word);
    }
  }
  return {};
}

constexpr std::array kVariables = {
    EnvironmentVariable{"OMP_TARGET_OFFLOAD", "DEFAULT",
                        "MANDATORY: a construct that cannot run on its device ends the program; "
                        "DISABLED: everything runs on the host; DEFAULT: the host is used when "
                        "there is no device",
                        parse_policy},
    EnvironmentVariable{"OMP_DEFAULT_DEVICE", "0",
                        "the device of constructs without a device clause, until "
                        "omp_set_default_device",
                        parse_default_device},
    EnvironmentVariable{"OMP_TOOL", "enabled", "disabled: no tool (OMPT) is looked for",
                        parse_of_tools},
    EnvironmentVariable{"OMP_TOOL_LIBRARIES", "",
                        "libraries, separated by ':', of which the first that is a tool (OMPT) "
                        "watches the program",
                        parse_of_tools},
    EnvironmentVariable{"OMP_TOOL_VERBOSE_INIT", "disabled",
                        "where to say how a tool is found: stdout, stderr, or the name of a file",
                        parse_of_tools},
    EnvironmentVariable{
        "GANTRY_DEVICES", "auto",
        "the devices to offer, in order: name[:kind][:count][+option…] separated by "
        "commas, as in cpu:2,cpu+separate; `gantry devices` lists the names; auto: "
        "what the program has images for, NVIDIA's and AMD's GPUs, else the CPU, else the "
        "executor of their code, else an emulated CPU",
        parse_devices},
    EnvironmentVariable{"GANTRY_SPREAD", "none",
                        "the device of target regions without a device clause: none (the default "
                        "device), load (any that has few regions, where that changes no result), "
                        "data (the same, but where their data are if these are on other devices "
                        "alone)",
                        parse_spread},
    EnvironmentVariable{"GANTRY_PLUGIN_PATH", "",
                        "folders, separated by ':', with plugins of other kinds of devices: "
                        "libgantry-plugin-NAME.so in one of them makes NAME a name for "
                        "GANTRY_DEVICES, and comes first in auto; set-uid programs ignore it",
                        parse_plugin_path},
    EnvironmentVariable{"GANTRY_INFO", "",
                        "what to print on stderr: registration, load, launch, map, present, "
                        "transfer, table, stale (under GANTRY_CHECK=map, what a construct leaves "
                        "different on host and device), simt (the PTX executor), separated by "
                        "commas, or all",
                        parse_info},
    EnvironmentVariable{
        "LIBOMPTARGET_INFO", "",
        "the same by LLVM's number: 1 launches, 2 present storage, 4 everything "
        "mapped when a construct fails, 8 changes of mappings, 16 loads, 32 transfers, -1 all",
        parse_libomptarget_info},
    EnvironmentVariable{
        "GANTRY_CHECK", "",
        "mistakes to look for: leaks (what is still mapped or allocated at the end; "
        "the exit status becomes 1), attached (storage that goes while a pointer of "
        "the device is attached to it), functions (calls on a device, through pointers, of "
        "functions that are the host's alone), map (values that one side has and the other does "
        "not get to see), all",
        parse_check},
    EnvironmentVariable{"GANTRY_TIMEOUT", "",
                        "how many seconds a kernel may take, such as 10 or 0.5, before it is ended "
                        "and its device with it; devices of the kind worker can do that",
                        parse_timeout},
    EnvironmentVariable{"GANTRY_SAVE_IMAGES", "",
                        "a folder in which a copy of every image loaded is left, for debuggers and "
                        "profilers",
                        parse_save_images},
    EnvironmentVariable{"GANTRY_PROFILE", "",
                        "a folder in which the process records what happens, as `gantry profile` "
                        "asks for; set-uid programs ignore it",
                        parse_profile},
    EnvironmentVariable{"GANTRY_PROFILE_OPTIONS", "",
                        "what is recorded, separated by a comma: data (hashes of the bytes that "
                        "are copied), limit=MIB (how large the record may grow, 1024 without it)",
                        parse_profile_options},
    EnvironmentVariable{"GANTRY_RECORD", "",
                        "a launch that is written to a file, which `gantry replay` runs again: "
                        "region (the first launch), region:app.cpp:31 or region:KERNEL (the first "
                        "of that construct or kernel), with @5 behind it the fifth; fault (the one "
                        "whose kernel ends its device)",
                        parse_record},
    EnvironmentVariable{"GANTRY_RECORD_FILE", "",
                        "the file of GANTRY_RECORD; unset: PROGRAM.PID.recording in the working "
                        "folder",
                        parse_record_file},
};

} // namespace

std::span<const EnvironmentVariable> environment_variables() {
  return kVariables;
}

std::uint32_t info_from_libomptarget(std::uint32_t bits) {
  constexpr std::array kTable = {
      std::pair{0x01u, bit(Info::kLaunch)}, std::pair{0x02u, bit(Info::kPresent)},
      std::pair{0x04u, bit(Info::kTable)},  std::pair{0x08u, bit(Info::kMap)},
      std::pair{0x10u, bit(Info::kLoad)},   std::pair{0x20u, bit(Info::kTransfer)},
  };
  std::uint32_t ours = 0;
  for (const auto& [theirs, mine] : kTable) {
    ours |= (bits & theirs) != 0 ? mine : 0;
  }
  return ours;
}

Result<Settings> read_settings(const Environment& environment) {
  Settings settings;
  for (const EnvironmentVariable& variable : kVariables) {
    const char* value = environment(variable.name);
    if (value == nullptr || *value == '\0') {
      value = variable.default_value;
    }
    if (*value == '\0') {
      continue;
    }
    GANTRY_TRY_CONTEXT(variable.parse(value, settings), variable.name);
  }
  return settings;
}

Result<ProfileSettings> read_profile_settings(const Environment& environment) {
  Settings settings;
  const char* const folder = environment("GANTRY_PROFILE");
  if (folder == nullptr || *folder == '\0') {
    return settings.profile;
  }
  settings.profile.folder = folder;
  const char* const options = environment("GANTRY_PROFILE_OPTIONS");
  if (options != nullptr && *options != '\0') {
    GANTRY_TRY_CONTEXT(parse_profile_options(options, settings), "GANTRY_PROFILE_OPTIONS");
  }
  return settings.profile;
}

bool names_device(std::string_view devices, std::string_view name) {
  while (!devices.empty()) { // allocates nothing: it is asked of every program
    const std::string_view item = devices.substr(0, devices.find(','));
    if (item.substr(0, item.find_first_of(":+")) == name) {
      return true;
    }
    devices.remove_prefix(std::min(item.size() + 1, devices.size()));
  }
  return false;
}

std::uint32_t read_info_bits(const Environment& environment) {
  Settings settings;
  const char* ours = environment("GANTRY_INFO");
  const char* theirs = environment("LIBOMPTARGET_INFO");
  const bool understood =
      (ours == nullptr || *ours == '\0' || parse_info(ours, settings)) &&
      (theirs == nullptr || *theirs == '\0' || parse_libomptarget_info(theirs, settings));
  return understood ? settings.info : 0;
}

} // namespace gantry::core
