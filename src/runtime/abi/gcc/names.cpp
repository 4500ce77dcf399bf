// How GCC names what it compiles.
#include "runtime/abi/gcc/program.h"

#include "base/cxx_names.h"
#include "runtime/core/host/symbols.h"

#include <fmt/format.h>

namespace gantry::abi::gcc {

namespace {

/// GCC makes a function of every region: "main._omp_fn.0", and "f(int) (._omp_fn.0)" when it is
/// demangled. Its line is the region's first that there is code for.
std::optional<std::string> region_of_function(const core::Symbol& function) {
  std::string_view name = function.name;
  name = name.substr(0, name.find("._omp_fn."));
  if (name.size() == function.name.size()) {
    return std::nullopt;
  }
  constexpr std::string_view kParenthesis = " (";
  if (name.ends_with(kParenthesis)) {
    name.remove_suffix(kParenthesis.size());
  }
  const std::string::size_type colon = function.position.rfind(':');
  const std::string line = colon == std::string::npos ? "0" : function.position.substr(colon + 1);
  return fmt::format("the region of '{}'{}", name, line == "0" ? "" : " near line " + line);
}

/// In images kernels have a position, "#0", and no name; the host's function for one has one.
std::optional<std::string> region_of_kernel(std::string_view kernel, const void* host_address) {
  return kernel.starts_with('#') && host_address != nullptr
             ? region_of_function(core::symbol_at(reinterpret_cast<std::uintptr_t>(host_address)))
             : std::nullopt;
}

std::optional<std::string> name_in_source(std::string_view symbol) {
  const std::string name = demangled(symbol);
  return name.empty() ? std::nullopt : std::optional(name);
}

} // namespace

// GCC's programs say neither where a construct is nor what it maps.
constinit const core::CompilerNames kNames = {
    [](std::string_view) { return std::optional<std::string>(); },
    [](std::string_view) { return std::optional<std::string_view>(); },
    [](std::string_view) { return std::optional<std::string>(); },
    [](std::string_view) { return std::optional<std::string_view>(); },
    region_of_kernel,
    name_in_source};

} // namespace gantry::abi::gcc
