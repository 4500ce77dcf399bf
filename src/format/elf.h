// ELF files, 64-bit and little-endian, as far as offloading needs them: sections, symbols,
// relocations, and where a pointer stored in a section points to.
//
// Everything is a view into the caller's bytes, which must outlive it, and is safe to read from any
// thread. ElfFile::read checks the section table; the other readers check what they decode, so that
// a function that returns plain values cannot meet a damaged file.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <elf.h>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gantry::format {

/// The type of sections that carry offload binaries. LLVM's number, not in <elf.h>.
inline constexpr std::uint32_t kShtLlvmOffloading = 0x6FFF4C0B;

/// e_machine of AMD's GPUs, not in <elf.h>.
inline constexpr std::uint16_t kMachineAmdGpu = 224;

/// The section of the tables of GCC's design of 2013; see format/openmp_target.h.
inline constexpr std::string_view kOpenmpTargetSection = ".gnu.openmp_target";

struct ElfSection {
  std::string_view name;
  Elf64_Shdr header = {};
  Bytes contents; ///< empty for sections that take no space in the file
};

struct ElfSymbol {
  std::string_view name;
  unsigned char binding = STB_LOCAL; ///< STB_LOCAL, STB_GLOBAL, STB_WEAK, …
  unsigned char type = STT_NOTYPE;
  unsigned char visibility = STV_DEFAULT;
  /// The defining section's index, extended indices resolved; SHN_UNDEF if undefined. The reserved
  /// SHN_ABS and SHN_COMMON are told apart from real indices by `reserved`.
  std::uint32_t section = SHN_UNDEF;
  bool reserved = false;
  std::uint64_t value = 0;
  std::uint64_t size = 0;

  [[nodiscard]] bool is_undefined() const { return section == SHN_UNDEF && !reserved; }
  [[nodiscard]] bool is_common() const { return reserved && section == SHN_COMMON; }
  [[nodiscard]] bool is_local() const { return binding == STB_LOCAL; }
  [[nodiscard]] bool is_weak() const { return binding == STB_WEAK; }
};

struct ElfRelocation {
  std::uint64_t offset = 0; ///< in the section for objects, an address in linked files
  std::uint32_t type = 0;
  std::uint32_t symbol = 0; ///< index into the symbol table that the relocations refer to
  std::int64_t addend = 0;
};

/// An ELF file whose section table is sound: every section's contents lie inside the file.
class ElfFile {
public:
  [[nodiscard]] static Result<ElfFile> read(Bytes bytes);

  [[nodiscard]] std::uint16_t type() const { return type_; }
  [[nodiscard]] std::uint16_t machine() const { return machine_; }
  [[nodiscard]] bool is_relocatable() const { return type_ == ET_REL; }

  /// All sections; the index is the section number of the file. Empty if the file has no section
  /// table.
  [[nodiscard]] std::span<const ElfSection> sections() const { return sections_; }

  /// The first section of that name, or null.
  [[nodiscard]] const ElfSection* find_section(std::string_view name) const;

  /// The whole `.symtab` (SHT_SYMTAB) or `.dynsym` (SHT_DYNSYM), null symbol and local ones
  /// included, so that a relocation's symbol number is an index. Empty if there is none.
  [[nodiscard]] Result<std::vector<ElfSymbol>> symbols() const { return read_symbols(SHT_SYMTAB); }
  [[nodiscard]] Result<std::vector<ElfSymbol>> dynamic_symbols() const {
    return read_symbols(SHT_DYNSYM);
  }

  /// The relocations (SHT_RELA) that apply to section number `target` of a relocatable object.
  [[nodiscard]] Result<std::vector<ElfRelocation>> relocations_of(std::size_t target) const;

  /// The relocations (SHT_RELA) that the dynamic loader applies to a linked file.
  [[nodiscard]] Result<std::vector<ElfRelocation>> dynamic_relocations() const;

  /// The loaded bytes from `address` to the end of the section of a linked file that holds it;
  /// empty if there is none.
  [[nodiscard]] Bytes contents_at(std::uint64_t address) const;

private:
  [[nodiscard]] Result<std::vector<ElfSymbol>> read_symbols(std::uint32_t table_type) const;

  std::uint16_t type_ = ET_NONE;
  std::uint16_t machine_ = EM_NONE;
  std::vector<ElfSection> sections_;
};

/// True if the section table of a relocatable object has a section of offload binaries, of
/// offload entries or of pairs of GCC's design of 2013. Touches the section headers and a few
/// names, not the contents: an archive of a thousand members is asked in milliseconds. False for a
/// file whose section table is damaged.
[[nodiscard]] bool has_offload_sections(Bytes object);

/// A place of offload binaries in an ELF file.
struct OffloadSection {
  std::string_view name;
  Bytes contents;
  /// True if a linker has already linked and registered these images (in executables, shared
  /// libraries and relocatable outputs): they are there for tools to look at, not to be linked
  /// again.
  bool linked = false;
};

/// The sections that hold offload binaries: those of type SHT_LLVM_OFFLOADING, and, for files that
/// passed through a tool that does not know the type, those of the names that Clang's tools give.
[[nodiscard]] std::vector<OffloadSection> find_offload_sections(const ElfFile& file);

} // namespace gantry::format
