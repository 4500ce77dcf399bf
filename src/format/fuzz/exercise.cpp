#include "format/fuzz/exercise.h"

#include "format/amd_code_object.h"
#include "format/archive.h"
#include "format/elf.h"
#include "format/entries.h"
#include "format/file_kind.h"
#include "format/offload_binary.h"
#include "format/openmp_target.h"

#include <algorithm>
#include <cstdlib>

namespace gantry::format {
namespace {

void require(bool invariant) {
  if (!invariant) {
    std::abort();
  }
}

/// Reads the last byte of a view: the sanitizer's chance to object to where it points.
void touch(Bytes view) {
  if (!view.empty()) {
    const volatile std::byte last = view.back();
    static_cast<void>(last);
  }
}

bool same(const OffloadImage& left, const OffloadImage& right) {
  return left.image_kind == right.image_kind && left.offload_kind == right.offload_kind &&
         left.flags == right.flags && left.strings == right.strings &&
         std::ranges::equal(left.contents, right.contents);
}

void exercise_images(Bytes bytes) {
  const auto images = read_offload_binaries(bytes);
  if (!images) {
    require(!images.error().message.empty());
    return;
  }
  for (const OffloadImage& image : *images) {
    touch(image.contents);
    static_cast<void>(describe(image.contents));
  }
  for (const ContainerVersion version : {ContainerVersion::kV1, ContainerVersion::kV2}) {
    const auto written = write_offload_binaries(*images, version);
    if (!written) {
      require(version == ContainerVersion::kV1); // cannot hold zero bytes in a value
      continue;
    }
    const auto read_again = read_offload_binaries(*written);
    require(read_again && std::ranges::equal(*images, *read_again, same));
  }
}

void exercise_code_object(Bytes bytes) {
  const auto object = read_amd_code_object(bytes);
  if (object && *object) {
    for (const AmdKernel& kernel : (*object)->kernels) {
      touch(as_bytes(kernel.name));
    }
  }
}

void exercise_elf(Bytes bytes) {
  exercise_code_object(bytes);
  static_cast<void>(has_offload_sections(bytes));
  const auto elf = ElfFile::read(bytes);
  if (!elf) {
    return;
  }
  for (const ElfSection& section : elf->sections()) {
    touch(section.contents);
    touch(elf->contents_at(section.header.sh_addr));
  }
  for (const OffloadSection& section : find_offload_sections(*elf)) {
    exercise_images(section.contents);
  }
  if (const auto tables = read_entry_tables(*elf)) {
    for (const EntryTable& table : *tables) {
      for (const OffloadEntry& entry : table.entries) {
        touch(as_bytes(entry.name));
        touch(as_bytes(entry.symbol));
      }
    }
  }
  if (const auto paired = read_openmp_target(*elf); paired && *paired) {
    for (const OpenmpTargetPair& pair : (*paired)->host) {
      touch(as_bytes(pair.symbol));
    }
    for (const OpenmpTargetBlob& target : (*paired)->targets) {
      touch(target.contents);
      for (const std::string_view name : target.names) {
        touch(as_bytes(name));
      }
    }
  }
  for (const Bytes code_object : find_amd_code_objects(*elf)) {
    exercise_code_object(code_object);
  }
  static_cast<void>(registers_itself(*elf));
}

void exercise_archive(Bytes bytes) {
  const auto archive = Archive::read(bytes);
  if (!archive) {
    return;
  }
  for (const ArchiveMember& member : archive->members()) {
    touch(as_bytes(member.name));
    touch(member.contents);
  }
}

} // namespace

void exercise(Bytes bytes) {
  static_cast<void>(identify(bytes));
  static_cast<void>(describe(bytes));
  exercise_images(bytes);
  exercise_elf(bytes);
  exercise_archive(bytes);
}

} // namespace gantry::format
