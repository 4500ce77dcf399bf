// A code object: the shared object in ELF that compilers for AMD's GPUs make
// (AMDGPUUsage, "Code Object"; the ELF gABI). Versions 3 to 6, linked.
//
// parse() believes nothing: what it gives lies inside the bytes, and inside the memory that the
// object takes once it is loaded.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "simt/amdgcn/objects/kernel_descriptor.h"
#include "simt/amdgcn/objects/metadata.h"
#include "simt/amdgcn/objects/processor.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gantry::simt::amdgcn {

/// A part of the loaded object. Addresses here are those of the file, which the place where the
/// object is loaded is added to.
struct Segment {
  std::uint64_t address = 0;
  std::uint64_t size = 0; ///< in memory; what `contents` does not fill is zero
  Bytes contents;
  bool is_executable = false;
  bool is_writable = false;
};

enum class SymbolKind : std::uint8_t { kOther, kVariable, kFunction, kKernel };

/// An entry of the dynamic symbol table.
struct Symbol {
  std::string_view name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  SymbolKind kind = SymbolKind::kOther;
  bool is_defined = false;
  bool is_absolute = false; ///< `address` is a number, which nothing is added to
  bool is_weak = false;
  bool is_global = false; ///< or weak
};

struct Kernel {
  std::uint32_t symbol = 0; ///< index of "NAME.kd"
  KernelDescriptor descriptor = {};
  KernelMetadata metadata; ///< without values where the note does not mention the kernel
};

struct Relocation {
  std::uint64_t address = 0;
  std::int64_t addend = 0;
  std::uint32_t type = 0;
  std::uint32_t symbol = 0; ///< 0: none
};

/// Names and contents belong to the bytes that it was made of.
struct CodeObject {
  unsigned version = 0;    ///< 3 … 6
  std::uint32_t flags = 0; ///< the header's: which processor
  std::uint64_t first = 0; ///< lowest address
  std::uint64_t size = 0;  ///< bytes from there to the end of the last segment
  std::uint64_t alignment = 1;
  std::vector<Segment> segments; ///< by address; they do not overlap
  std::vector<Symbol> symbols;   ///< as in the file; number 0 is none
  std::vector<Kernel> kernels;
  std::vector<Relocation> relocations;

  /// The segment that all `bytes` bytes at `address` are in, or null.
  [[nodiscard]] const Segment* segment_of(std::uint64_t address, std::uint64_t bytes) const;
};

[[nodiscard]] Result<CodeObject> parse(Bytes bytes);

/// An error if the object is for another processor, or for another setting of it.
[[nodiscard]] Status check_processor(const CodeObject& object, const Processor& processor);

/// The address of a symbol that the object itself does not define, if there is one.
using Resolver = std::function<std::optional<std::uint64_t>(std::string_view name)>;

/// Fills `memory`, which has the object's size and is zero, as the object at `address` is:
/// contents, and addresses in them.
[[nodiscard]] Status load_into(std::span<std::byte> memory, const CodeObject& object,
                               std::uint64_t address, const Resolver& resolve);

} // namespace gantry::simt::amdgcn
