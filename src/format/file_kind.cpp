#include "format/file_kind.h"

#include "format/elf.h"
#include "format/offload_binary.h"

#include <algorithm>
#include <elf.h>

#include <fmt/format.h>
#include <gantry/cuda_fat_binary.h>

namespace gantry::format {
namespace {

FileKind identify_elf(Bytes bytes) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return FileKind::kElfOther;
  }
  switch (header->e_type) {
  case ET_REL:
    return FileKind::kElfRelocatable;
  case ET_EXEC:
    return FileKind::kElfExecutable;
  case ET_DYN:
    return FileKind::kElfShared;
  default:
    return FileKind::kElfOther;
  }
}

std::string_view machine_name(std::uint16_t machine) {
  constexpr std::uint16_t kEmCuda = 190;
  switch (machine) {
  case EM_X86_64:
    return "x86-64 ";
  case EM_AARCH64:
    return "AArch64 ";
  case kEmCuda:
    return "CUDA ";
  case kMachineAmdGpu:
    return "AMD GPU ";
  default:
    return "";
  }
}

/// True if the dynamic section of a shared object marks it as a program; nothing else does.
bool is_executable(Bytes bytes) {
  const auto elf = ElfFile::read(bytes);
  const ElfSection* dynamic = elf ? elf->find_section(".dynamic") : nullptr;
  if (dynamic == nullptr) {
    return false;
  }
  for (std::uint64_t at = 0; const auto entry = load<Elf64_Dyn>(dynamic->contents, at);
       at += sizeof(Elf64_Dyn)) {
    if (entry->d_tag == DT_FLAGS_1) {
      return (entry->d_un.d_val & DF_1_PIE) != 0;
    }
  }
  return false;
}

std::string describe_elf(Bytes bytes, FileKind kind) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  std::string text(machine_name(header ? header->e_machine : std::uint16_t{EM_NONE}));
  const bool program = kind == FileKind::kElfShared && is_executable(bytes);
  return text.append(program ? "position-independent executable" : to_string(kind));
}

/// What NVIDIA's container holds, as far as it is whole.
std::string describe_fat_binary(Bytes bytes, const gantry_fat_binary& container) {
  std::string text = "fat binary:";
  const std::uint64_t end = container.header_bytes +
                            std::min(container.bytes, ~std::uint64_t{0} - container.header_bytes);
  std::uint64_t at = container.header_bytes;
  const char* separator = " ";
  while (at < end) {
    const auto entry = load<gantry_fat_binary_entry>(bytes, at);
    const std::uint64_t left = bytes.size() - std::min<std::uint64_t>(at, bytes.size());
    if (!entry || entry->header_bytes < sizeof *entry || entry->header_bytes > left ||
        entry->bytes > left - entry->header_bytes) {
      return text.append(separator).append("cut off");
    }
    text += fmt::format("{}{} sm_{}", separator,
                        entry->kind == GANTRY_FAT_BINARY_PTX   ? "PTX"
                        : entry->kind == GANTRY_FAT_BINARY_ELF ? "machine code"
                                                               : "unknown",
                        entry->capability);
    at += entry->header_bytes + entry->bytes;
    separator = ", ";
  }
  return text;
}

/// The kinds of device code that are not files a linker reads.
std::string describe_other(Bytes bytes) {
  constexpr std::uint32_t kSpirvMagic = 0x07230203;
  if (bytes.empty()) {
    return "nothing";
  }
  if (load<std::uint32_t>(bytes, 0) == kSpirvMagic) {
    return "SPIR-V";
  }
  if (const auto container = load<gantry_fat_binary>(bytes, 0);
      container && container->magic == GANTRY_FAT_BINARY_MAGIC) {
    return describe_fat_binary(bytes, *container);
  }
  return is_ptx(bytes) ? "PTX" : "unknown";
}

} // namespace

bool is_ptx(Bytes bytes) {
  constexpr std::size_t kHeadOfFile = 4096;
  const std::string_view head = as_text(bytes.first(std::min(bytes.size(), kHeadOfFile)));
  return head.find(".version ") != std::string_view::npos &&
         head.find(".target ") != std::string_view::npos;
}

FileKind identify(Bytes bytes) {
  using namespace std::string_view_literals;
  const std::string_view text = as_text(bytes);
  if (is_offload_binary(bytes)) {
    return FileKind::kOffloadBinary;
  }
  if (text.starts_with("\177ELF"sv)) {
    return identify_elf(bytes);
  }
  if (text.starts_with("!<arch>\n"sv)) {
    return FileKind::kArchive;
  }
  if (text.starts_with("!<thin>\n"sv)) {
    return FileKind::kThinArchive;
  }
  if (text.starts_with("BC\xC0\xDE"sv) || text.starts_with("\xDE\xC0\x17\x0B"sv)) {
    return FileKind::kBitcode;
  }
  return FileKind::kOther;
}

std::string_view to_string(FileKind kind) {
  static constexpr std::string_view kNames[] = {// in the order of FileKind
                                                "offload binary",
                                                "relocatable object",
                                                "executable",
                                                "shared object",
                                                "ELF file that is not 64-bit little-endian code",
                                                "archive",
                                                "thin archive",
                                                "LLVM bitcode",
                                                "file of another kind"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string describe(Bytes bytes) {
  const FileKind kind = identify(bytes);
  switch (kind) {
  case FileKind::kElfRelocatable:
  case FileKind::kElfExecutable:
  case FileKind::kElfShared:
    return describe_elf(bytes, kind);
  case FileKind::kOther:
    return describe_other(bytes);
  default:
    return std::string(to_string(kind));
  }
}

} // namespace gantry::format
