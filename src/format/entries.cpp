#include "format/entries.h"

#include "format/pointers.h"

#include <algorithm>
#include <optional>

namespace gantry::format {
namespace {

/// True for `base` itself and for `base_<hash>`, which a relocatable link makes of it.
bool is_entry_section(std::string_view name, std::string_view base) {
  return name.starts_with(base) && (name.size() == base.size() || name[base.size()] == '_');
}

std::optional<EntryLayout> layout_of_section(std::string_view name) {
  if (is_entry_section(name, kCurrentEntrySection)) {
    return EntryLayout::kCurrent;
  }
  if (is_entry_section(name, kLegacyEntrySection)) {
    return EntryLayout::kLegacy;
  }
  return std::nullopt;
}

/// Fills in the two pointers of an entry, which lie at these offsets of the section.
Status resolve(const PointerReader& pointers, std::uint64_t address_at, std::uint64_t name_at,
               OffloadEntry& entry) {
  const auto address = GANTRY_TRY(pointers.at(address_at));
  entry.address = address.address;
  entry.symbol = address.symbol;
  const auto name = GANTRY_TRY(pointers.at(name_at));
  if (name.target.empty() && name.address == 0 && name.symbol.empty()) {
    return {}; // null: an entry without a name
  }
  const auto text = c_string(name.target, 0);
  if (!text) {
    return fail("the entry's name ({} at {:#x}) is not a string inside the file",
                name.symbol.empty() ? "a pointer" : name.symbol, name.address);
  }
  entry.name = *text;
  return {};
}

Result<OffloadEntry> read_legacy(const PointerReader& pointers, Bytes section,
                                 std::uint64_t offset) {
  const auto raw = load<LegacyEntry>(section, offset).value();
  OffloadEntry entry;
  entry.kind = kOpenMpEntryKind;
  entry.flags = static_cast<std::uint32_t>(raw.flags);
  entry.size = raw.size;
  entry.data = static_cast<std::uint32_t>(raw.data);
  GANTRY_TRY(resolve(pointers, offset + offsetof(LegacyEntry, address),
                     offset + offsetof(LegacyEntry, name), entry));
  return entry;
}

Result<OffloadEntry> read_current(const PointerReader& pointers, Bytes section,
                                  std::uint64_t offset) {
  const auto raw = load<CurrentEntry>(section, offset).value();
  if (raw.reserved != 0 || raw.version != kCurrentEntryVersion) {
    return fail("the entry has reserved word {:#x} and version {}, expected 0 and {}", raw.reserved,
                raw.version, kCurrentEntryVersion);
  }
  OffloadEntry entry;
  entry.kind = raw.kind;
  entry.flags = raw.flags;
  entry.size = raw.size;
  entry.data = raw.data;
  GANTRY_TRY(resolve(pointers, offset + offsetof(CurrentEntry, address),
                     offset + offsetof(CurrentEntry, name), entry));
  return entry;
}

Result<EntryTable> read_table(const ElfFile& file, std::size_t index, EntryLayout layout) {
  const ElfSection& section = file.sections()[index];
  const bool legacy = layout == EntryLayout::kLegacy;
  const std::size_t size = entry_size(layout);
  if (section.contents.size() % size != 0) {
    return fail("the section has {} bytes, expected a multiple of the entry's {}",
                section.contents.size(), size);
  }
  EntryTable table{section.name, layout, {}};
  if (section.contents.empty()) {
    return table;
  }
  const auto pointers = GANTRY_TRY(PointerReader::read(file, index));
  for (std::uint64_t offset = 0; offset < section.contents.size(); offset += size) {
    auto entry = GANTRY_TRY_CONTEXT(legacy ? read_legacy(pointers, section.contents, offset)
                                           : read_current(pointers, section.contents, offset),
                                    fmt::format("entry {}", offset / size));
    entry.role = entry_role(entry.kind, entry.flags, entry.size);
    table.entries.push_back(entry);
  }
  return table;
}

} // namespace

Result<std::vector<EntryTable>> read_entry_tables(const ElfFile& file) {
  std::vector<EntryTable> tables;
  for (std::size_t index = 0; index < file.sections().size(); ++index) {
    const ElfSection& section = file.sections()[index];
    const auto layout = layout_of_section(section.name);
    if (!layout || section.header.sh_type != SHT_PROGBITS) {
      continue;
    }
    tables.push_back(GANTRY_TRY_CONTEXT(read_table(file, index, *layout),
                                        fmt::format("section '{}'", section.name)));
  }
  return tables;
}

namespace {

Result<bool> any_symbol(const ElfFile& file, bool (*wanted)(const ElfSymbol&)) {
  for (const auto& symbols : {file.symbols(), file.dynamic_symbols()}) {
    if (!symbols) {
      return tl::unexpected(symbols.error());
    }
    if (std::ranges::any_of(*symbols, wanted)) {
      return true;
    }
  }
  return false;
}

} // namespace

Result<bool> registers_itself(const ElfFile& file) {
  return any_symbol(file, [](const ElfSymbol& symbol) {
    return symbol.is_undefined() ? symbol.name == "__tgt_register_lib"
                                 : symbol.name == ".omp_offloading.descriptor_reg";
  });
}

Result<bool> has_device_code_of_gcc(const ElfFile& file) {
  if (std::ranges::any_of(file.sections(), [](const auto& section) {
        return section.name.starts_with(".gnu.offload_lto_");
      })) {
    return true;
  }
  return any_symbol(file, [](const ElfSymbol& symbol) {
    return symbol.is_undefined() && symbol.name.starts_with("GOMP_offload_register");
  });
}

std::string_view to_string(EntryRole role) {
  static constexpr std::string_view kNames[] = {// in the order of EntryRole
                                                "kernel",          "variable",
                                                "link variable",   "constructor",
                                                "destructor",      "indirect function",
                                                "indirect vtable", "requires",
                                                "foreign",         "unknown"};
  return kNames[static_cast<std::size_t>(role)];
}

} // namespace gantry::format
