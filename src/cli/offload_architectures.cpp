#include "cli/offload_architectures.h"

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/native_architecture.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

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

/// What Clang calls the host's kind and `gpus`.
std::vector<std::string> with_host(const std::vector<std::string>& gpus) {
  constexpr std::string_view kGpuTriple = "nvptx64-nvidia-cuda";
  if (gpus.empty()) {
    return {"-fopenmp-targets=" GANTRY_HOST_TRIPLE};
  }
  std::vector<std::string> options = {
      fmt::format("-fopenmp-targets=" GANTRY_HOST_TRIPLE ",{}", kGpuTriple)};
  for (const std::string& gpu : gpus) {
    options.push_back(fmt::format("-Xopenmp-target={}", kGpuTriple));
    options.push_back(fmt::format("-march={}", gpu));
  }
  return options;
}

} // namespace

bool names_host(std::string_view argument) {
  return std::ranges::any_of(architectures(argument),
                             [](const std::string& name) { return name == kHost; });
}

bool names_gpu(std::string_view argument) {
  return std::ranges::any_of(architectures(argument), [](const std::string& name) {
    return name.starts_with("sm_") || name == kNative;
  });
}

Status check_architectures(std::string_view argument) {
  constexpr int kOldest = 70;
  for (const std::string& name : architectures(argument)) {
    int number = 0;
    const char* const last = name.data() + name.size();
    if (name.starts_with("sm_")) {
      const auto [end, error] = std::from_chars(name.data() + 3, last, number);
      const std::string_view rest(end, last);
      if (error == std::errc() && number >= kOldest &&
          (rest.empty() || rest == "a" || rest == "f")) {
        continue;
      }
    } else if (name == kHost || name == kNative) {
      continue;
    }
    constexpr std::string_view kNames[] = {kHost, kNative, "sm_70", "sm_80", "sm_90"};
    return fail(
        "{}{}: Gantry makes no device code for that{}; there are host, native, and sm_70 and "
        "newer",
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
