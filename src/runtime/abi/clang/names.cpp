#include "runtime/abi/clang/names.h"

#include "base/cxx_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace gantry::abi::clang {

namespace {

/// The fields of ";a;b;c;;". Positions and names of map items are such; where the core has a
/// position or a declare target variable's name of its own, it is no such text.
std::optional<std::vector<std::string_view>> fields(std::string_view text) {
  if (!text.starts_with(';')) {
    return std::nullopt;
  }
  std::vector<std::string_view> result;
  while (text.starts_with(';')) {
    text.remove_prefix(1);
    result.push_back(text.substr(0, text.find(';')));
    text.remove_prefix(result.back().size());
  }
  return result;
}

/// ";file;function;line;column;;".
std::optional<std::string> position(std::string_view location) {
  const auto parts = fields(location);
  if (!parts) {
    return std::nullopt;
  }
  const bool is_known =
      parts->size() > 2 && !(*parts)[0].empty() && (*parts)[0] != "unknown" && (*parts)[2] != "0";
  return is_known ? fmt::format("{}:{}", (*parts)[0], (*parts)[2]) : std::string();
}

/// Flang puts the file in front of the name; Clang's expressions have no such ending.
bool is_fortran_file(std::string_view text) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f18", ".F18", ".f", ".F",
       ".for", ".FOR", ".ftn", ".fpp", ".FPP"});
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return text.ends_with(ending); });
}

std::optional<std::string_view> function(std::string_view location) {
  const auto parts = fields(location);
  if (!parts) {
    return std::nullopt;
  }
  return parts->size() > 1 && (*parts)[1] != "unknown" ? (*parts)[1] : "";
}

/// A list item's is ";expression;file;line;column;;", of Flang ";file;name;line;column;;".
bool is_of_flang(const std::vector<std::string_view>& parts) {
  // `s.f` of `heat.c` is a member.
  return parts.size() > 1 && is_fortran_file(parts[0]) &&
         parts[1].find('.') == std::string_view::npos;
}

std::optional<std::string> item_position(std::string_view map_name) {
  const auto parts = fields(map_name);
  if (!parts) {
    return std::nullopt;
  }
  const std::size_t file = is_of_flang(*parts) ? 0 : 1;
  const bool is_known = parts->size() > 2 && !(*parts)[file].empty() &&
                        (*parts)[file] != "unknown" && (*parts)[2] != "0";
  return is_known ? fmt::format("{}:{}", (*parts)[file], (*parts)[2]) : std::string();
}

std::optional<std::string_view> variable(std::string_view map_name) {
  const auto parts = fields(map_name);
  if (!parts) {
    return std::nullopt;
  }
  const std::string_view found = (*parts)[is_of_flang(*parts) ? 1 : 0];
  return found == "unknown" ? "" : found;
}

/// Flang's name of a procedure is _Q, and then its module's, its host's and its own, each behind a
/// capital letter: `_QMcasesPfill`. Fortran's names have no capital letters.
bool is_of_flang(std::string_view name) {
  return name.size() > 2 && name.starts_with("_Q") && name[2] >= 'A' && name[2] <= 'Z';
}

std::optional<std::string> name_in_source(std::string_view symbol) {
  if (symbol == "_QQmain") {
    return "main program";
  }
  if (is_of_flang(symbol)) {
    return std::string(symbol.substr(symbol.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") + 1));
  }
  const std::string name = demangled(symbol);
  return name.empty() ? std::nullopt : std::optional(name);
}

/// Clang's names are __omp_offloading_DEVICE_INODE_FUNCTION_lLINE, with _COUNT behind it for others
/// of the line.
std::optional<std::string> region_of_kernel(std::string_view kernel, const void* /*host_address*/) {
  constexpr std::string_view kPrefix = "__omp_offloading_";
  const std::size_t line = kernel.rfind("_l");
  if (!kernel.starts_with(kPrefix) || line == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view function = kernel.substr(0, line).substr(kPrefix.size());
  for (int i = 0; i < 2; ++i) {
    const std::size_t underscore = function.find('_');
    if (underscore == std::string_view::npos) {
      return std::nullopt;
    }
    function.remove_prefix(underscore + 1);
  }
  const std::string_view number = kernel.substr(line + 2);
  return fmt::format("the region of '{}' at line {}",
                     name_in_source(function).value_or(std::string(function)),
                     number.substr(0, number.find('_')));
}

} // namespace

constinit const core::CompilerNames kNames = {position, function,         item_position,
                                              variable, region_of_kernel, name_in_source};

} // namespace gantry::abi::clang
