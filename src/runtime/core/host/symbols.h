// Names of addresses, for messages: asked of libexec/gantry-symbolizer, which reads symbol tables
// and debug information in a process of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gantry::core {

/// An address in an executable or library.
struct ModuleAddress {
  std::string file;
  std::uint64_t address = 0; ///< as the file's symbol table counts
};

struct Symbol {
  std::string name;        ///< of the function or variable; empty if that is not known
  std::string position;    ///< "app.cpp:12"; empty if that is not known
  std::uint64_t begin = 0; ///< of a variable: its address; 0 if it is not known
  std::uint64_t size = 0;  ///< of a variable; 0 if it is not known
};

/// One answer for each address. Where the symbolizer is missing, or fails, nothing is known. Waits
/// for the dynamic loader's lock, so no lock of ours may be held.
[[nodiscard]] std::vector<Symbol> symbolize(std::span<const ModuleAddress> addresses);

/// What an executable or library has at a host address; its `begin` is one too.
[[nodiscard]] Symbol symbol_at(std::uintptr_t address);

/// The same of an address in an image that is no file; nothing for an image without bytes.
[[nodiscard]] Symbol symbolize_image(std::span<const std::byte> image, std::uint64_t address);

} // namespace gantry::core
