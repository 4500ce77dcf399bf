#include "link/output_check.h"

#include "base/mapped_file.h"
#include "format/elf.h"
#include "format/entries.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

namespace gantry::link {
namespace {

/// Regions and variables; the other kinds of entries may do without a symbol on some devices.
bool needs_device_code(const format::OffloadEntry& entry) {
  return !entry.name.empty() &&
         (entry.role == format::EntryRole::kKernel || entry.role == format::EntryRole::kVariable);
}

/// The names of such entries of an ELF file, from the tables that this link registers; tables of
/// other names belong to images that a relocatable link has registered. None if the file cannot be
/// read.
std::vector<std::string_view> entries_of(Bytes contents) {
  const auto tables = format::ElfFile::read(contents).and_then(format::read_entry_tables);
  std::vector<std::string_view> names;
  if (!tables) {
    return names;
  }
  for (const format::EntryTable& table : *tables) {
    if (table.section != format::kCurrentEntrySection &&
        table.section != format::kLegacyEntrySection) {
      continue;
    }
    for (const format::OffloadEntry& entry : table.entries) {
      if (needs_device_code(entry)) {
        names.push_back(entry.name);
      }
    }
  }
  return names;
}

/// What the objects of the images have entries for, each of which was found in its image.
std::unordered_set<std::string_view> expected_entries(const DeviceCode& code) {
  std::unordered_set<std::string_view> names;
  for (const DeviceInput& input : code.inputs) {
    names.insert(input.entries->begin(), input.entries->end());
  }
  return names;
}

bool is_defined_by(const std::vector<LinkedImage>& images, std::string_view name) {
  return std::ranges::any_of(images, [&](const LinkedImage& image) {
    const auto symbols = format::ElfFile::read(image.contents).and_then([](const auto& file) {
      return file.dynamic_symbols();
    });
    return symbols && std::ranges::any_of(*symbols, [&](const format::ElfSymbol& symbol) {
             return symbol.name == name && !symbol.is_undefined();
           });
  });
}

/// "'libparts.a(part.o)'", or words for it where no file that was looked at has the entry.
std::string origin_of(std::string_view entry, const Scan& scan) {
  for (const HostObject& object : scan.left_out) {
    if (!object.is_bitcode && std::ranges::count(entries_of(object.contents), entry) != 0) {
      return fmt::format("'{}'", object.origin);
    }
  }
  return "an object that was not seen among the inputs";
}

} // namespace

Status check_output(const Arguments& arguments, const Scan& scan, const DeviceCode& code,
                    const std::vector<LinkedImage>& images) {
  const auto output = MappedFile::open(arguments.output);
  // Images left out on request are missing on purpose.
  if (!output || arguments.skip_unsupported) {
    return {};
  }
  const std::unordered_set<std::string_view> expected = expected_entries(code);
  for (const std::string_view entry : entries_of(output->bytes())) {
    if (!expected.contains(entry) && !is_defined_by(images, entry)) {
      return fail("the host linker took {}, which has the offload entry '{}', and its device code "
                  "is not in the program's image; name the object on the command line, or its "
                  "archive between -Wl,--whole-archive and -Wl,--no-whole-archive",
                  origin_of(entry, scan), entry);
    }
  }
  return {};
}

} // namespace gantry::link
