// The symbols of a host object that the selection of archive members needs.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <string>
#include <vector>

namespace gantry::link {

/// Global symbols of one object or shared library. A weak reference is in neither list: it takes
/// no member from an archive.
struct HostSymbols {
  std::vector<std::string> defined;
  std::vector<std::string> common; ///< C's tentative definitions; in no other list
  std::vector<std::string> undefined;
};

/// Of an ELF relocatable object.
[[nodiscard]] Result<HostSymbols> object_symbols(Bytes contents);

/// Of an ELF shared library: what it exports and what it wants from others. A version of a symbol
/// that is kept for programs linked long ago (foo@V1, beside or without a foo@@V2) defines nothing
/// for this link.
[[nodiscard]] Result<HostSymbols> shared_library_symbols(Bytes contents);

/// Of LLVM bitcode (a host object compiled with -flto).
[[nodiscard]] Result<HostSymbols> bitcode_symbols(Bytes contents);

} // namespace gantry::link
