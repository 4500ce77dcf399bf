// From PTX text to a Module.
//
// The parser knows the grammar and resolves names; what an instruction does, and whether the
// executor can do it, is the business of those that read the Module. So an instruction that is not
// known but well formed parses, and is an error only where a kernel that is launched reaches it.
#pragma once

#include "simt/ptx/module.h"

#include <memory>
#include <string>

#include <tl/expected.hpp>

namespace gantry::simt::ptx {

/// The newest PTX ISA whose directives and syntax the parser knows.
inline constexpr unsigned kNewestMajor = 9;
inline constexpr unsigned kNewestMinor = 1;

struct ParseError {
  enum class Kind { kSyntax, kVersion /* written for a newer PTX ISA */ };
  Kind kind = Kind::kSyntax;
  Location location;
  std::string message; ///< without the location

  /// "ptxas NAME, line 12:8; error   : MESSAGE", in the style of NVIDIA's assembler.
  [[nodiscard]] std::string text(std::string_view module_name) const;
};

/// Parses a module. `text` may end with NUL; what follows the first NUL is not read.
[[nodiscard]] tl::expected<std::unique_ptr<Module>, ParseError> parse(std::string text,
                                                                      std::string name);

} // namespace gantry::simt::ptx
