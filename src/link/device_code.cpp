#include "link/device_code.h"

#include "format/elf.h"
#include "format/entries.h"
#include "format/file_kind.h"
#include "format/openmp_target.h"
#include "link/bitcode.h"

namespace gantry::link {
namespace {

using Names = std::vector<std::string>;

/// What one host object has, whether it is ELF or bitcode.
struct ObjectContents {
  std::vector<Bytes> containers = {};
  Names entries = {};
  EntryTables tables = {};
  bool registered = false;    ///< a relocatable link has linked and registered its images already
  std::size_t pair_count = 0; ///< of GCC's design of 2013
};

Result<ObjectContents> read_elf(const HostObject& object) {
  const format::ElfFile file = GANTRY_TRY(format::ElfFile::read(object.contents));
  ObjectContents result;
  for (const format::OffloadSection& section : format::find_offload_sections(file)) {
    if (section.linked) {
      result.registered = true;
    } else {
      result.containers.push_back(section.contents);
    }
  }
  const auto tables = GANTRY_TRY(format::read_entry_tables(file));
  for (const format::EntryTable& table : tables) {
    // Tables of other names belong to images that a relocatable link registered.
    if (table.section == format::kCurrentEntrySection) {
      result.tables.current = true;
    } else if (table.section == format::kLegacyEntrySection) {
      result.tables.legacy = true;
    } else {
      continue;
    }
    for (const format::OffloadEntry& entry : table.entries) {
      if (has_device_symbol(entry.role)) {
        result.entries.emplace_back(entry.name);
      }
    }
  }
  const auto paired = GANTRY_TRY(format::read_openmp_target(file));
  result.pair_count = paired ? paired->host.size() : 0;
  return result;
}

class Extractor {
public:
  Status add(const HostObject& object) {
    ObjectContents contents = GANTRY_TRY_CONTEXT(
        object.is_bitcode ? read_bitcode(object) : read_elf(object), object.origin);
    GANTRY_TRY_CONTEXT(add_images(object, contents), object.origin);
    return {};
  }

  DeviceCode take() { return std::move(code_); }

private:
  Result<ObjectContents> read_bitcode(const HostObject& object) {
    EmbeddedDeviceCode embedded =
        GANTRY_TRY(read_embedded_device_code(object.contents, object.origin));
    ObjectContents result{.entries = std::move(embedded.entries), .tables = embedded.tables};
    for (std::vector<std::byte>& container : embedded.containers) {
      code_.storage.push_back(std::move(container));
      result.containers.emplace_back(code_.storage.back());
    }
    return result;
  }

  Status add_images(const HostObject& object, ObjectContents& contents) {
    code_.tables.current |= contents.tables.current;
    code_.tables.legacy |= contents.tables.legacy;
    if (contents.containers.empty() && !contents.registered && !contents.entries.empty()) {
      return fail("the object has the offload entry '{}' and no device code; compile it again "
                  "without leaving out or stripping the device's part",
                  contents.entries.front());
    }
    const auto entries = std::make_shared<const Names>(std::move(contents.entries));
    if (contents.pair_count != 0) {
      code_.paired.push_back({object.origin, object.contents, contents.pair_count});
    }
    for (const Bytes containers : contents.containers) {
      const std::vector<format::OffloadImage> images =
          GANTRY_TRY_CONTEXT(format::read_offload_binaries(containers), "device code");
      for (const format::OffloadImage& image : images) {
        if (contents.pair_count != 0 && format::is_ptx(image.contents)) {
          code_.paired.back().ptx = image.contents;
          continue;
        }
        code_.inputs.push_back({.origin = object.origin,
                                .triple = std::string(image.triple()),
                                .arch = std::string(image.arch()),
                                .offload_kind = image.offload_kind,
                                .contents = image.contents,
                                .host_object = object.contents,
                                .entries = entries});
      }
    }
    return {};
  }

  DeviceCode code_;
};

} // namespace

bool has_device_symbol(format::EntryRole role) {
  switch (role) {
  case format::EntryRole::kKernel:
  case format::EntryRole::kVariable:
  case format::EntryRole::kLinkVariable:
  case format::EntryRole::kConstructor:
  case format::EntryRole::kDestructor:
  case format::EntryRole::kIndirectFunction:
  case format::EntryRole::kIndirectVtable:
    return true;
  case format::EntryRole::kRequires:
  case format::EntryRole::kForeign:
  case format::EntryRole::kUnknown:
    break;
  }
  return false;
}

Result<DeviceCode> extract_device_code(const std::vector<HostObject>& objects) {
  Extractor extractor;
  for (const HostObject& object : objects) {
    GANTRY_TRY(extractor.add(object));
  }
  return extractor.take();
}

} // namespace gantry::link
