// Identifies a file by its first bytes.
#pragma once

#include "base/bytes.h"

#include <string>
#include <string_view>

namespace gantry::format {

enum class FileKind {
  kOffloadBinary, ///< one or more containers 10 FF 10 AD
  kElfRelocatable,
  kElfExecutable, ///< at a fixed address; a position-independent one is kElfShared, as in ELF
  kElfShared,
  kElfOther,    ///< a core file, 32-bit or big-endian ELF: nothing that src/format reads
  kArchive,     ///< members inside
  kThinArchive, ///< members beside it, by path
  kBitcode,     ///< LLVM bitcode, with or without the wrapper header; reading it takes LLVM
  kOther,       ///< linker scripts, text, …
};

[[nodiscard]] FileKind identify(Bytes bytes);

/// A noun for messages and tables, such as "relocatable object".
[[nodiscard]] std::string_view to_string(FileKind kind);

/// True if `bytes` begin as a text of PTX does.
[[nodiscard]] bool is_ptx(Bytes bytes);

/// What `bytes` are in a few words, such as "x86-64 shared object", "PTX" or "LLVM bitcode": what a
/// device image really holds, which its declared kind does not always say.
[[nodiscard]] std::string describe(Bytes bytes);

} // namespace gantry::format
