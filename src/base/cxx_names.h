// Names of C++ functions and variables, which Clang and GCC make by the same rules (Itanium C++
// ABI).
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <cxxabi.h>

namespace gantry {

/// The name in the source; empty if `symbol` is not such a name.
inline std::string demangled(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) { // without it, a name may be a type's: `i` is int
    return {};
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      __cxxabiv1::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status),
      &std::free);
  return status == 0 ? text.get() : "";
}

} // namespace gantry
