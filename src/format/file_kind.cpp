#include "format/file_kind.h"

#include "format/offload_binary.h"

#include <elf.h>

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

} // namespace

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
  switch (kind) {
  case FileKind::kOffloadBinary:
    return "offload binary";
  case FileKind::kElfRelocatable:
    return "relocatable object";
  case FileKind::kElfExecutable:
    return "executable";
  case FileKind::kElfShared:
    return "shared object";
  case FileKind::kElfOther:
    return "ELF file that is not 64-bit little-endian code";
  case FileKind::kArchive:
    return "archive";
  case FileKind::kThinArchive:
    return "thin archive";
  case FileKind::kBitcode:
    return "LLVM bitcode";
  case FileKind::kOther:
    break;
  }
  return "file of another kind";
}

} // namespace gantry::format
