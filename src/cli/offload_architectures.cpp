#include "cli/offload_architectures.h"

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/native_architecture.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

namespace gantry::cli {

namespace {

constexpr std::string_view kOption = "--offload-arch=";
constexpr std::string_view kHost = "host";
constexpr std::string_view kNative = "native";

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) {
      return parts;
    }
    list.remove_prefix(comma + 1);
  }
}

/// The elements of an --offload-arch; none of another argument.
std::vector<std::string> architectures(std::string_view argument) {
  return argument.starts_with(kOption) ? split(argument.substr(kOption.size()))
                                       : std::vector<std::string>();
}

constexpr std::string_view kPrefixOfNvidia = "sm_";
constexpr std::string_view kPrefixOfAmd = "gfx";
constexpr std::string_view kTripleOfNvidia = "nvptx64-nvidia-cuda";
constexpr std::string_view kTripleOfAmd = "amdgcn-amd-amdhsa";

bool is_of_nvidia(std::string_view name) {
  return name.starts_with(kPrefixOfNvidia);
}

bool is_of_amd(std::string_view name) {
  return name.starts_with(kPrefixOfAmd);
}

/// What Clang calls the host's kind and `gpus`.
std::vector<std::string> with_host(const std::vector<std::string>& gpus) {
  std::string triples = GANTRY_HOST_TRIPLE;
  std::vector<std::string> options;
  const auto add = [&](std::string_view triple, bool (*is_of_vendor)(std::string_view)) {
    std::vector<std::string> own;
    std::ranges::copy_if(gpus, std::back_inserter(own), is_of_vendor);
    if (!own.empty()) {
      triples += fmt::format(",{}", triple);
      options.push_back(fmt::format("-Xopenmp-target={}", triple));
      options.push_back(fmt::format("{}{}", kOption, fmt::join(own, ",")));
    }
  };
  add(kTripleOfNvidia, is_of_nvidia);
  add(kTripleOfAmd, is_of_amd);
  options.insert(options.begin(), "-fopenmp-targets=" + triples);
  return options;
}

/// The number that `text` begins with, and what follows it; 0 and all of it without one.
std::pair<int, std::string> read_number(const std::string& text) {
  int number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return {error == std::errc() ? number : 0, std::string(end, last)};
}

/// "80" or "90a" of a name such as sm_90a.
bool is_supported_of_nvidia(const std::string& rest_of_name) {
  constexpr int kOldest = 70;
  const auto [number, variant] = read_number(rest_of_name);
  return number >= kOldest && (variant.empty() || variant == "a" || variant == "f");
}

/// "906", "90a:xnack+" or "9-generic" of names such as gfx906. What precedes two characters, or a
/// hyphen, is the generation; which processors one has, Clang knows.
bool is_supported_of_amd(const std::string& rest_of_name) {
  constexpr int kOldest = 9;
  constexpr std::size_t kOther = 2;
  const std::string processor = rest_of_name.substr(0, rest_of_name.find(':'));
  const std::size_t hyphen = processor.find('-');
  const auto [number, rest] = read_number(processor.substr(
      0, hyphen != std::string::npos ? hyphen : std::max(processor.size(), kOther) - kOther));
  return number >= kOldest && rest.empty();
}

} // namespace

bool names_host(std::string_view argument) {
  return std::ranges::any_of(architectures(argument),
                             [](const std::string& name) { return name == kHost; });
}

bool names_gpu(std::string_view argument) {
  return names_amd_gpu(argument) ||
         std::ranges::any_of(architectures(argument), [](const std::string& name) {
           return is_of_nvidia(name) || name == kNative;
         });
}

bool names_amd_gpu(std::string_view argument) {
  return std::ranges::any_of(architectures(argument), is_of_amd);
}

Status check_architectures(std::string_view argument) {
  for (const std::string& name : architectures(argument)) {
    if (name == kHost || name == kNative ||
        (is_of_nvidia(name) && is_supported_of_nvidia(name.substr(kPrefixOfNvidia.size()))) ||
        (is_of_amd(name) && is_supported_of_amd(name.substr(kPrefixOfAmd.size())))) {
      continue;
    }
    constexpr std::string_view kNames[] = {kHost,    kNative,  "sm_70",  "sm_80",   "sm_90",
                                           "gfx900", "gfx906", "gfx90a", "gfx1030", "gfx1100"};
    return fail("{}{}: Gantry makes no device code for that{}; there are host, native, sm_70 and "
                "newer, and gfx900 and newer",
                kOption, name, suggestion(name, kNames));
  }
  return {};
}

bool needs_translation(std::string_view argument) {
  return std::ranges::any_of(architectures(argument), [](const std::string& name) {
    return name == kHost || name == kNative;
  });
}

std::vector<std::string> translate_architectures(std::vector<std::string> arguments) {
  if (std::ranges::none_of(arguments, needs_translation)) {
    return arguments;
  }
  bool host = false;
  std::vector<std::string> gpus;
  for (const std::string& argument : arguments) {
    for (const std::string& name : architectures(argument)) {
      if (name == kHost) {
        host = true;
      } else if (name == kNative) {
        std::ranges::move(split(native_architectures()), std::back_inserter(gpus));
      } else {
        gpus.push_back(name);
      }
    }
  }
  const auto is_option = [](std::string_view argument) { return argument.starts_with(kOption); };
  const auto position = std::ranges::find_if(arguments, is_option) - arguments.begin();
  std::erase_if(arguments, is_option);
  const std::vector<std::string> options =
      host ? with_host(gpus) : std::vector{fmt::format("{}{}", kOption, fmt::join(gpus, ","))};
  arguments.insert(arguments.begin() + position, options.begin(), options.end());
  return arguments;
}

} // namespace gantry::cli
