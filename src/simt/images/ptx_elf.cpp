#include "simt/images/ptx_elf.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <string>

namespace gantry::simt::images {

namespace {

constexpr char kMark[] = "gantry";
constexpr std::size_t kMarkOffset = 9; // of what e_ident leaves unused
static_assert(kMarkOffset + sizeof(kMark) == EI_NIDENT);
constexpr std::uint8_t kCudaOsAbi = 0x33;
constexpr std::uint8_t kCudaAbiVersion = 7;
constexpr std::uint32_t kAddressesOf64Bits = 0x400;
constexpr std::string_view kTextSection = ".gantry.ptx";
/// More than any program has; a size above it is a damaged header.
constexpr std::uint64_t kLargest = std::uint64_t{1} << 32;

/// Strings one after the other, known by their offsets.
class StringTable {
public:
  std::uint32_t add(std::string_view text) {
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(text).push_back('\0');
    return offset;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_ = std::string(1, '\0');
};

struct Section {
  std::string_view name;
  std::uint32_t type = SHT_PROGBITS;
  std::uint64_t flags = 0;
  std::uint64_t alignment = 1;
  std::string content = {};
  std::uint64_t size = 0; ///< of one without content
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t entry_size = 0;
};

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// The initial values that are numbers.
std::string initial_bytes(const ptx::Variable& variable) {
  std::string bytes(variable.size(), '\0');
  const std::size_t step = ptx::size_of(variable.type);
  for (std::size_t i = 0; i < variable.initial.size() && (i + 1) * step <= bytes.size(); ++i) {
    const ptx::InitialValue& value = variable.initial[i];
    if (!value.symbol) {
      std::memcpy(bytes.data() + i * step, &value.bits, std::min(step, sizeof(value.bits)));
    }
  }
  return bytes;
}

class Writer {
public:
  Writer(std::span<const ptx::Module* const> modules, unsigned capability, bool relocatable)
      : capability_(capability), relocatable_(relocatable) {
    for (const ptx::Module* const module : modules) {
      add(*module);
    }
  }

  [[nodiscard]] std::vector<std::byte> finish() {
    Section& symbols = sections_[kSymbols];
    symbols.content.assign(sizeof(Elf64_Sym), '\0');
    for (const Elf64_Sym& symbol : symbols_) {
      append(symbols.content, symbol);
    }
    sections_[kStrings].content = names_.bytes();
    StringTable section_names;
    std::array<std::uint32_t, kCount> name_offsets = {};
    for (std::size_t i = 1; i < kCount; ++i) {
      name_offsets[i] = section_names.add(sections_[i].name);
    }
    sections_[kSectionNames].content = section_names.bytes();

    std::string file(sizeof(Elf64_Ehdr), '\0');
    std::string headers;
    for (std::size_t i = 0; i < kCount; ++i) {
      const Section& section = sections_[i];
      file.resize(aligned(file.size(), section.alignment), '\0');
      Elf64_Shdr header = {};
      if (i != 0) {
        header.sh_name = name_offsets[i];
        header.sh_type = section.type;
        header.sh_flags = section.flags;
        header.sh_offset = file.size();
        header.sh_size = section.type == SHT_NOBITS ? section.size : section.content.size();
        header.sh_link = section.link;
        header.sh_info = section.info;
        header.sh_addralign = section.alignment;
        header.sh_entsize = section.entry_size;
      }
      file += section.content;
      append(headers, header);
    }
    file.resize(aligned(file.size(), 8), '\0');
    const Elf64_Ehdr header = make_header(file.size());
    file += headers;
    std::memcpy(file.data(), &header, sizeof(header));
    const auto bytes = as_bytes(std::string_view(file));
    return {bytes.begin(), bytes.end()};
  }

private:
  enum Index : std::size_t {
    kNull,
    kText,
    kGlobal,
    kGlobalInit,
    kConstant,
    kSymbols,
    kStrings,
    kSectionNames,
    kCount
  };

  [[nodiscard]] Elf64_Ehdr make_header(std::uint64_t section_offset) const {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_ident[EI_OSABI] = kCudaOsAbi;
    header.e_ident[EI_ABIVERSION] = kCudaAbiVersion;
    std::memcpy(header.e_ident + kMarkOffset, kMark, sizeof(kMark));
    header.e_type = relocatable_ ? ET_REL : ET_EXEC;
    header.e_machine = EM_CUDA;
    header.e_version = EV_CURRENT;
    header.e_flags = capability_ << 16U | kAddressesOf64Bits | (capability_ & 0xFFU);
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shoff = section_offset;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = kCount;
    header.e_shstrndx = kSectionNames;
    return header;
  }

  void add(const ptx::Module& module) {
    sections_[kText].content.append(module.text).push_back('\0');
    for (const ptx::Function& function : module.functions) {
      if (function.is_entry && function.is_defined) {
        add_symbol(function.name, STT_FUNC, function.linkage, kText, 0, 0);
      }
    }
    for (const ptx::Variable& variable : module.variables) {
      if (variable.linkage != ptx::Linkage::kExtern && variable.space != ptx::Space::kShared) {
        add_variable(variable);
      }
    }
  }

  void add_variable(const ptx::Variable& variable) {
    const bool constant = variable.space == ptx::Space::kConst;
    const Index index = constant ? kConstant : variable.initial.empty() ? kGlobal : kGlobalInit;
    Section& section = sections_[index];
    section.alignment = std::max<std::uint64_t>(section.alignment, variable.alignment);
    std::uint64_t offset = 0;
    if (section.type == SHT_NOBITS) {
      offset = aligned(section.size, variable.alignment);
      section.size = offset + variable.size();
    } else {
      offset = aligned(section.content.size(), variable.alignment);
      section.content.resize(offset, '\0');
      section.content += initial_bytes(variable);
    }
    add_symbol(variable.name, STT_OBJECT, variable.linkage, index, offset, variable.size());
  }

  void add_symbol(std::string_view name, unsigned type, ptx::Linkage linkage, Index section,
                  std::uint64_t value, std::uint64_t size) {
    // All are global, because a table has the local ones first and nobody asks for the difference.
    const unsigned binding = linkage == ptx::Linkage::kWeak ? STB_WEAK : STB_GLOBAL;
    Elf64_Sym symbol = {};
    symbol.st_name = names_.add(name);
    symbol.st_info = ELF64_ST_INFO(binding, type);
    symbol.st_shndx = static_cast<std::uint16_t>(section);
    symbol.st_value = value;
    symbol.st_size = size;
    symbols_.push_back(symbol);
  }

  const unsigned capability_;
  const bool relocatable_;
  StringTable names_;
  std::vector<Elf64_Sym> symbols_;
  std::array<Section, kCount> sections_ = {{
      {""},
      {kTextSection},
      {".nv.global", SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
      {".nv.global.init", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
      {".nv.constant3", SHT_PROGBITS, SHF_ALLOC},
      {".symtab", SHT_SYMTAB, 0, 8, {}, 0, kStrings, 1, sizeof(Elf64_Sym)},
      {".strtab", SHT_STRTAB},
      {".shstrtab", SHT_STRTAB},
  }};
};

} // namespace

std::vector<std::byte> make_ptx_elf(std::span<const ptx::Module* const> modules,
                                    unsigned capability, bool relocatable) {
  return Writer(modules, capability, relocatable).finish();
}

bool is_ptx_elf(Bytes image) {
  return image.size() >= EI_NIDENT && as_text(image).starts_with(ELFMAG) &&
         std::memcmp(image.data() + kMarkOffset, kMark, sizeof(kMark)) == 0;
}

std::optional<Bytes> measured_ptx_elf(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (header.e_shoff < sizeof(header) || header.e_shoff > kLargest ||
      header.e_shentsize != sizeof(Elf64_Shdr)) {
    return std::nullopt;
  }
  return Bytes(static_cast<const std::byte*>(image),
               header.e_shoff + std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
}

std::optional<std::vector<std::string_view>> texts_of_ptx_elf(Bytes image) {
  const auto header = load<Elf64_Ehdr>(image, 0);
  if (!is_ptx_elf(image) || !header || header->e_shentsize != sizeof(Elf64_Shdr) ||
      header->e_shoff > image.size()) {
    return std::nullopt;
  }
  const auto section = [&](std::uint64_t index) {
    return load<Elf64_Shdr>(image, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto content = [&](const Elf64_Shdr& of) { return slice(image, of.sh_offset, of.sh_size); };
  const auto names_header = section(header->e_shstrndx);
  const auto names = names_header ? content(*names_header) : std::nullopt;
  for (std::uint64_t i = 1; names && i < header->e_shnum; ++i) {
    const auto found = section(i);
    if (!found || found->sh_name > names->size()) {
      return std::nullopt;
    }
    if (!as_text(names->subspan(found->sh_name)).starts_with(std::string(kTextSection) + '\0')) {
      continue;
    }
    const auto bytes = content(*found);
    if (!bytes || bytes->empty() || bytes->back() != std::byte{0}) {
      return std::nullopt;
    }
    std::vector<std::string_view> texts;
    for (std::string_view rest = as_text(*bytes); !rest.empty();) {
      const std::size_t end = rest.find('\0');
      texts.push_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    return texts;
  }
  return std::nullopt;
}

} // namespace gantry::simt::images
