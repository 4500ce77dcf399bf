// How Clang and Flang name what they compile.
#include "runtime/abi/clang/program.h"

#include "runtime/abi/cxx_names.h"

#include <fmt/format.h>

namespace gantry::abi::clang {

namespace {

/// Flang's name of a procedure is _Q, and then its module's, its host's and its own, each behind a
/// capital letter: `_QMcasesPfill`. Fortran's names have no capital letters.
bool is_of_flang(std::string_view name) {
  return name.size() > 2 && name.starts_with("_Q") && name[2] >= 'A' && name[2] <= 'Z';
}

std::string name_in_source(std::string_view symbol) {
  if (symbol == "_QQmain") {
    return "main program";
  }
  if (is_of_flang(symbol)) {
    return std::string(symbol.substr(symbol.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") + 1));
  }
  return demangled(symbol);
}

/// Clang's names are __omp_offloading_DEVICE_INODE_FUNCTION_lLINE, with _COUNT behind it for others
/// of the line.
std::string region_of_kernel(std::string_view kernel, const void* /*host_address*/) {
  constexpr std::string_view kPrefix = "__omp_offloading_";
  const std::size_t line = kernel.rfind("_l");
  if (!kernel.starts_with(kPrefix) || line == std::string_view::npos) {
    return {};
  }
  std::string_view function = kernel.substr(0, line).substr(kPrefix.size());
  for (int i = 0; i < 2; ++i) {
    const std::size_t underscore = function.find('_');
    if (underscore == std::string_view::npos) {
      return {};
    }
    function.remove_prefix(underscore + 1);
  }
  const std::string name = name_in_source(function);
  const std::string_view number = kernel.substr(line + 2);
  return fmt::format("the region of '{}' at line {}", name.empty() ? function : name,
                     number.substr(0, number.find('_')));
}

} // namespace

constinit const core::Compiler kClang = {decode_program, region_of_kernel, name_in_source};

} // namespace gantry::abi::clang
