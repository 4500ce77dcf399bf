#include "format/openmp_target.h"

#include "format/pointers.h"

#include <algorithm>

namespace gantry::format {
namespace {

std::size_t index_of(const ElfFile& file, const ElfSection& section) {
  return static_cast<std::size_t>(&section - file.sections().data());
}

/// The pairs from `offset` of the section to `end`, without the zeros that a linker puts between
/// objects for alignment.
Result<std::vector<OpenmpTargetPair>> read_pairs(const PointerReader& pointers,
                                                 const ElfSection& section, std::uint64_t offset,
                                                 std::uint64_t end) {
  if ((end - offset) % sizeof(OpenmpTargetPairBytes) != 0) {
    return fail("section '{}' has {} bytes of pairs, which have {} bytes each", section.name,
                end - offset, sizeof(OpenmpTargetPairBytes));
  }
  std::vector<OpenmpTargetPair> pairs;
  for (; offset < end; offset += sizeof(OpenmpTargetPairBytes)) {
    const auto address = GANTRY_TRY(pointers.at(offset));
    const std::uint64_t size =
        load<std::uint64_t>(section.contents, offset + sizeof(std::uint64_t)).value_or(0);
    if (address.address != 0 || !address.symbol.empty() || !address.target.empty()) {
      pairs.push_back({.address = address.address, .symbol = address.symbol, .size = size});
    }
  }
  return pairs;
}

/// The section of a linked file that has `count` elements of 8 bytes at `address` in it, or null.
const ElfSection* section_at(const ElfFile& file, std::uint64_t address, std::uint64_t count) {
  const auto found = std::ranges::find_if(file.sections(), [&](const ElfSection& section) {
    const std::uint64_t offset = address - section.header.sh_addr;
    return (section.header.sh_flags & SHF_ALLOC) != 0 && offset <= section.contents.size() &&
           count <= (section.contents.size() - offset) / sizeof(std::uint64_t);
  });
  return found == file.sections().end() ? nullptr : &*found;
}

Result<OpenmpTargetBlob> read_target(const ElfFile& file, const PointerReader& pointers,
                                     const ElfSection& section, std::uint64_t offset) {
  const auto entry = load<OpenmpTargetEntry>(section.contents, offset);
  const auto blob = pointers.at(offset + offsetof(OpenmpTargetEntry, blob));
  const auto table = pointers.at(offset + offsetof(OpenmpTargetEntry, addresses));
  if (!entry || !blob || !table) {
    return fail("the descriptor in section '{}' ends in its list of targets", section.name);
  }
  OpenmpTargetBlob result;
  const auto contents = slice(blob->target, 0, entry->blob_size);
  const ElfSection* const elements = section_at(file, table->address, entry->address_count);
  if (!contents || elements == nullptr) {
    return fail("a target of the descriptor in section '{}' has its code or its table outside of "
                "the file",
                section.name);
  }
  result.contents = *contents;
  const auto read = GANTRY_TRY(PointerReader::read(file, index_of(file, *elements)));
  const bool has_addresses = as_text(result.contents).starts_with(ELFMAG);
  const std::uint64_t first = table->address - elements->header.sh_addr;
  for (std::uint64_t i = 0; i < entry->address_count; ++i) {
    const auto element = GANTRY_TRY(read.at(first + i * sizeof(std::uint64_t)));
    if (has_addresses) {
      result.addresses.push_back(element.address);
    } else if (const auto name = c_string(element.target, 0)) {
      result.names.push_back(*name);
    } else {
      return fail("name {} of a target of the descriptor in section '{}' has no end", i,
                  section.name);
    }
  }
  return result;
}

} // namespace

Result<std::optional<OpenmpTargetTable>> read_openmp_target(const ElfFile& file) {
  const ElfSection* const section = file.find_section(kOpenmpTargetSection);
  if (section == nullptr || section->contents.empty()) {
    return std::nullopt;
  }
  const auto pointers = GANTRY_TRY(PointerReader::read(file, index_of(file, *section)));
  OpenmpTargetTable table;
  const auto first = pointers.at(0);
  const auto header = load<OpenmpTargetHeader>(section->contents, 0);
  // A linked image's section has no descriptor, only pairs: its first word is an address.
  const bool has_descriptor = !file.is_relocatable() && first && header && first->symbol.empty() &&
                              first->target.empty() && header->version != 0 &&
                              header->target_count != 0;
  std::uint64_t begin = 0;
  std::uint64_t end = section->contents.size();
  if (has_descriptor) {
    if (header->version != kOpenmpTargetVersion) {
      return fail("the descriptor in section '{}' is of version {}; this reader knows {}",
                  section->name, header->version, kOpenmpTargetVersion);
    }
    table.version = header->version;
    const std::uint64_t room =
        (section->contents.size() - sizeof *header) / sizeof(OpenmpTargetEntry);
    if (header->target_count > room) {
      return fail("the descriptor in section '{}' has {} targets and room for {}", section->name,
                  header->target_count, room);
    }
    begin = sizeof *header + header->target_count * sizeof(OpenmpTargetEntry);
    const auto last = pointers.at(offsetof(OpenmpTargetHeader, host_end));
    end = last ? last->address - section->header.sh_addr : 0;
    if (end < begin || end > section->contents.size()) {
      return fail("the host's pairs of section '{}' end outside of it", section->name);
    }
    for (std::uint32_t i = 0; i < header->target_count; ++i) {
      table.targets.push_back(GANTRY_TRY(
          read_target(file, pointers, *section, sizeof *header + i * sizeof(OpenmpTargetEntry))));
    }
  }
  table.host = GANTRY_TRY(read_pairs(pointers, *section, begin, end));
  return table;
}

} // namespace gantry::format
