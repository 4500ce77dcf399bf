#include "format/input_file.h"

#include "format/elf.h"

#include <algorithm>
#include <iterator>

namespace gantry::format {

std::string InputFile::Part::name() const {
  return member.empty() ? path : fmt::format("{}({})", path, member);
}

InputFile::InputFile(MappedFile file) : kind_(identify(file.bytes())) {
  mappings_.push_back(std::move(file));
}

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  auto mapping = GANTRY_TRY(MappedFile::open(path));
  InputFile file(std::move(mapping));
  if (!file.is_archive()) {
    file.parts_.push_back({path.native(), "", file.kind_, file.mappings_.front().bytes()});
  } else {
    GANTRY_TRY_CONTEXT(file.open_members(path), path.native());
  }
  return file;
}

Status InputFile::open_members(const std::filesystem::path& path) {
  const auto archive = GANTRY_TRY(Archive::read(mappings_.front().bytes()));
  for (const ArchiveMember& member : archive.members()) {
    Bytes bytes = member.contents;
    if (archive.is_thin()) {
      auto mapping = GANTRY_TRY_CONTEXT(MappedFile::open(thin_member_path(path, member)),
                                        fmt::format("member '{}'", member.name));
      bytes = mapping.bytes();
      mappings_.push_back(std::move(mapping));
    }
    parts_.push_back({path.native(), std::string(member.name), identify(bytes), bytes});
  }
  return {};
}

Result<std::vector<OffloadImage>> read_images(const InputFile::Part& part) {
  switch (part.kind) {
  case FileKind::kOffloadBinary: {
    auto images = read_offload_binaries(part.bytes);
    return images ? images : with_context(images.error(), part.name());
  }
  case FileKind::kElfRelocatable:
  case FileKind::kElfExecutable:
  case FileKind::kElfShared:
    break;
  default:
    return std::vector<OffloadImage>{};
  }
  const auto elf = GANTRY_TRY_CONTEXT(ElfFile::read(part.bytes), part.name());
  std::vector<OffloadImage> all;
  for (const OffloadSection& section : find_offload_sections(elf)) {
    auto images = GANTRY_TRY_CONTEXT(read_offload_binaries(section.contents),
                                     fmt::format("{}: section '{}'", part.name(), section.name));
    std::ranges::move(images, std::back_inserter(all));
  }
  return all;
}

} // namespace gantry::format
