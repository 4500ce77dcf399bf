// What the core asks about the programs of a compiler. The answers are in abi/, one Compiler each.
#pragma once

#include "runtime/core/programs/program.h"

#include <string>
#include <string_view>

namespace gantry::core {

/// Constants, which stay for the rest of the process.
struct Compiler {
  DecodeProgram decode;
  /// "the region of 'main' at line 12" for a kernel's name in an image and, if it is known, the
  /// host address that stands for it; empty if the name is not one of this compiler's. May look
  /// symbols up, so no lock may be held.
  std::string (*region_of_kernel)(std::string_view kernel, const void* host_address);
  /// What the source calls the function or variable of a symbol; empty if this compiler does not
  /// make such names.
  std::string (*name_in_source)(std::string_view symbol);
};

/// From now on region_of_kernel() and name_in_source() ask `compiler`, if they did not before. Any
/// thread, in constructors of libraries too.
void know_compiler(const Compiler& compiler);

/// What the first compiler says that knows it: "a region" if none does.
[[nodiscard]] std::string region_of_kernel(std::string_view kernel, const void* host_address);
/// The same; the symbol itself if none does.
[[nodiscard]] std::string name_in_source(std::string_view symbol);

} // namespace gantry::core
