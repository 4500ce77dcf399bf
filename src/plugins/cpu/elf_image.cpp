#include "plugins/cpu/elf_image.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gantry::cpu {

namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kHostMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr Elf64_Half kHostMachine = EM_PPC64;
#else
#error "the cpu plugin does not know this machine's ELF number"
#endif

constexpr std::uint64_t kPage = 4096; ///< on every machine that images are for

/// The hash of DT_GNU_HASH tables.
std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) {
    hash = hash * 33 + static_cast<unsigned char>(c);
  }
  return hash;
}

/// The hash of DT_HASH tables (System V ABI, chapter 5).
std::uint32_t sysv_hash(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    hash ^= (hash & 0xf0000000u) >> 24;
    hash &= 0x0fffffffu;
  }
  return hash;
}

} // namespace

template <typename T>
const T* ElfImage::at_offset(std::uint64_t offset, std::uint64_t count) const {
  const bool inside = offset <= bytes_.size() && count <= (bytes_.size() - offset) / sizeof(T) &&
                      reinterpret_cast<std::uintptr_t>(bytes_.data() + offset) % alignof(T) == 0;
  return inside ? reinterpret_cast<const T*>(bytes_.data() + offset) : nullptr;
}

template <typename T>
const T* ElfImage::at_address(std::uint64_t address, std::uint64_t count) const {
  if (count > bytes_.size() / sizeof(T)) {
    return nullptr;
  }
  const auto offset = file_offset(address, count * sizeof(T));
  return offset ? at_offset<T>(*offset, count) : nullptr;
}

bool is_shared_object(std::span<const std::byte> bytes, Elf64_Half machine) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) {
    return false;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
         header.e_type == ET_DYN && header.e_machine == machine;
}

bool is_host_shared_object(std::span<const std::byte> bytes) {
  return is_shared_object(bytes, kHostMachine);
}

std::optional<ElfImage> ElfImage::open(std::span<const std::byte> bytes) {
  if (!is_host_shared_object(bytes)) {
    return std::nullopt;
  }
  ElfImage image(bytes);
  const auto* header = image.at_offset<Elf64_Ehdr>(0);
  if (header == nullptr || header->e_phentsize != sizeof(Elf64_Phdr)) {
    return std::nullopt;
  }
  const auto* segments = image.at_offset<Elf64_Phdr>(header->e_phoff, header->e_phnum);
  if (segments == nullptr) {
    return std::nullopt;
  }
  image.segments_ = {segments, header->e_phnum};
  const Elf64_Phdr* dynamic = nullptr;
  for (const Elf64_Phdr& segment : image.segments_) {
    const bool in_file = segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC;
    if (in_file && image.at_offset<char>(segment.p_offset, segment.p_filesz) == nullptr) {
      return std::nullopt;
    }
    if (segment.p_type == PT_DYNAMIC) {
      dynamic = &segment;
    }
  }
  if (dynamic == nullptr) {
    return std::nullopt;
  }
  const std::size_t entries = dynamic->p_filesz / sizeof(Elf64_Dyn);
  const auto* entry = image.at_offset<Elf64_Dyn>(dynamic->p_offset, entries);
  if (entry == nullptr) {
    return std::nullopt;
  }
  const std::pair<Elf64_Sxword, std::uint64_t*> wanted[] = {
      {DT_SYMTAB, &image.symbols_},
      {DT_STRTAB, &image.strings_},
      {DT_STRSZ, &image.strings_size_},
      {DT_GNU_HASH, &image.gnu_hash_},
      {DT_HASH, &image.sysv_hash_},
      {DT_RELA, &image.relocations_.address},
      {DT_RELASZ, &image.relocations_.size},
      {DT_JMPREL, &image.plt_relocations_.address},
      {DT_PLTRELSZ, &image.plt_relocations_.size}};
  for (std::size_t i = 0; i < entries && entry[i].d_tag != DT_NULL; ++i) {
    for (const auto& [tag, value] : wanted) {
      if (tag == entry[i].d_tag) {
        *value = entry[i].d_un.d_val; // or d_ptr, which is as large
      }
    }
  }
  const bool searchable = image.symbols_ != 0 && (image.gnu_hash_ != 0 || image.sysv_hash_ != 0) &&
                          image.at_address<char>(image.strings_, image.strings_size_) != nullptr;
  return searchable ? std::optional(image) : std::nullopt;
}

std::optional<std::size_t> ElfImage::file_offset(std::uint64_t address, std::uint64_t size) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr <= segment.p_filesz &&
        size <= segment.p_filesz - (address - segment.p_vaddr)) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

bool ElfImage::covers(std::uint64_t address) const {
  return std::ranges::any_of(segments_, [&](const Elf64_Phdr& segment) {
    return segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_memsz;
  });
}

std::string_view ElfImage::text_at(std::uint64_t string) const {
  if (string >= strings_size_) {
    return {};
  }
  const std::uint64_t room = strings_size_ - string;
  const char* const text = at_address<char>(strings_ + string, room);
  return text == nullptr ? std::string_view() : std::string_view(text, strnlen(text, room));
}

/// The loader protects the pages that begin in the segment, down to the last whole one.
bool ElfImage::becomes_read_only(std::uint64_t address) const {
  const std::uint64_t page = address / kPage * kPage;
  return std::ranges::any_of(segments_, [&](const Elf64_Phdr& segment) {
    return segment.p_type == PT_GNU_RELRO && page >= segment.p_vaddr / kPage * kPage &&
           page < (segment.p_vaddr + segment.p_memsz) / kPage * kPage;
  });
}

void ElfImage::for_each_import(const std::function<void(const Import&)>& visit) const {
  for (const Table& table : {relocations_, plt_relocations_}) {
    const std::uint64_t count = table.size / sizeof(Elf64_Rela);
    const auto* const relocation = at_address<Elf64_Rela>(table.address, count);
    for (std::uint64_t i = 0; relocation != nullptr && i < count; ++i) {
      const std::uint64_t number = ELF64_R_SYM(relocation[i].r_info);
      const auto* const symbol = at_address<Elf64_Sym>(symbols_ + number * sizeof(Elf64_Sym));
      const bool whole_word = relocation[i].r_addend == 0 && covers(relocation[i].r_offset) &&
                              covers(relocation[i].r_offset + sizeof(void*) - 1);
      if (number == 0 || symbol == nullptr || symbol->st_shndx != SHN_UNDEF || !whole_word) {
        continue;
      }
      visit({.name = text_at(symbol->st_name),
             .address = relocation[i].r_offset,
             .read_only = becomes_read_only(relocation[i].r_offset)});
    }
  }
}

bool ElfImage::imports(std::string_view name) const {
  bool found = false;
  for_each_import([&](const Import& import) { found = found || import.name == name; });
  return found;
}

bool ElfImage::name_is(const Elf64_Sym& symbol, std::string_view name) const {
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= strings_size_ ||
      name.size() >= strings_size_ - symbol.st_name) {
    return false;
  }
  const char* text = at_address<char>(strings_ + symbol.st_name, name.size() + 1);
  return text != nullptr && std::memcmp(text, name.data(), name.size()) == 0 &&
         text[name.size()] == '\0';
}

const Elf64_Sym* ElfImage::find(std::string_view name) const {
  if (gnu_hash_ != 0) {
    // Header {buckets, first hashed symbol, bloom words, bloom shift}, bloom filter of 64-bit
    // words, buckets, then one hash value a symbol whose lowest bit ends a chain.
    const auto* header = at_address<std::uint32_t>(gnu_hash_, 4);
    if (header == nullptr || header[0] == 0) {
      return nullptr;
    }
    const std::uint32_t hash = gnu_hash(name);
    const std::uint64_t buckets = gnu_hash_ + 16 + std::uint64_t{header[2]} * 8;
    const auto* bucket = at_address<std::uint32_t>(buckets + std::uint64_t{hash % header[0]} * 4);
    if (bucket == nullptr || *bucket < header[1]) {
      return nullptr;
    }
    const std::uint64_t chains = buckets + std::uint64_t{header[0]} * 4;
    for (std::uint64_t i = *bucket;; ++i) {
      const auto* chain = at_address<std::uint32_t>(chains + (i - header[1]) * 4);
      const auto* symbol = at_address<Elf64_Sym>(symbols_ + i * sizeof(Elf64_Sym));
      if (chain == nullptr || symbol == nullptr) {
        return nullptr;
      }
      if ((*chain | 1) == (hash | 1) && name_is(*symbol, name)) {
        return symbol;
      }
      if ((*chain & 1) != 0) {
        return nullptr;
      }
    }
  }
  // Header {buckets, chains}, buckets, chains; a chain ends with 0.
  const auto* header = at_address<std::uint32_t>(sysv_hash_, 2);
  if (header == nullptr || header[0] == 0) {
    return nullptr;
  }
  const auto* buckets = at_address<std::uint32_t>(sysv_hash_ + 8, header[0]);
  const auto* chains =
      at_address<std::uint32_t>(sysv_hash_ + 8 + std::uint64_t{header[0]} * 4, header[1]);
  if (buckets == nullptr || chains == nullptr) {
    return nullptr;
  }
  std::uint32_t steps = 0; // a damaged chain may be a circle
  for (std::uint32_t i = buckets[sysv_hash(name) % header[0]];
       i != 0 && i < header[1] && steps < header[1]; i = chains[i], ++steps) {
    const auto* symbol = at_address<Elf64_Sym>(symbols_ + i * sizeof(Elf64_Sym));
    if (symbol == nullptr) {
      return nullptr;
    }
    if (name_is(*symbol, name)) {
      return symbol;
    }
  }
  return nullptr;
}

} // namespace gantry::cpu
