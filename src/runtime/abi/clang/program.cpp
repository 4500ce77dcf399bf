// What a program registers: the descriptor that the linker wrapper puts into each executable and
// shared library, in the core's terms.
//
// A descriptor has the entries of one section, so of one layout, and the first entry tells which:
// the newer layout begins with eight zero bytes, a version and a kind, the older with an address.
#include "runtime/abi/clang/program.h"

#include "format/entry_layout.h"
#include "format/offload_binary.h"
#include "runtime/abi/clang/layouts.h"
#include "runtime/abi/clang/own_variables.h"

#include <algorithm>
#include <cstring>

namespace gantry::abi::clang {

using core::EntryKind;
using core::ProgramContents;
using format::CurrentEntry;
using format::EntryRole;
using format::LegacyEntry;

namespace {

/// The name suffix of the reference pointers that unified_shared_memory makes of variables.
constexpr std::string_view kReferencePointer = "_decl_tgt_ref_ptr";

/// The runtime notes every pointer of a virtual table: those of classes have some dozens.
constexpr std::uint64_t kLargestTable = 1u << 20;

Status append(void* address, const char* name, std::uint64_t size, std::uint16_t programming_model,
              std::uint32_t flags, std::uint64_t data, ProgramContents& contents) {
  const auto entry = [&](EntryKind kind) {
    contents.entries.push_back({kind, address, name, size, nullptr});
    return Status();
  };
  const EntryRole role = format::entry_role(programming_model, flags, size);
  if (address == nullptr && role != EntryRole::kRequires && role != EntryRole::kForeign) {
    return fail("an offload entry has no address; the entries are of a layout that this runtime "
                "does not know, made by a newer Clang than Gantry supports");
  }
  switch (role) {
  case EntryRole::kKernel:
    return entry(EntryKind::kKernel);
  case EntryRole::kVariable:
    if (std::string_view(name).ends_with(kReferencePointer)) {
      contents.entries.push_back({EntryKind::kUnifiedVariable, address, name, size,
                                  *static_cast<const void* const*>(address)});
      return {};
    }
    return entry(EntryKind::kVariable);
  case EntryRole::kLinkVariable:
    return entry(EntryKind::kLink);
  case EntryRole::kIndirectFunction:
    return entry(EntryKind::kIndirectFunction);
  case EntryRole::kIndirectVtable:
    if (size % sizeof(void*) != 0 || size > kLargestTable) {
      return fail(
          "the virtual table of the entry '{}' has {} bytes, which none has; the program is "
          "damaged",
          name, size);
    }
    return entry(EntryKind::kIndirectTable);
  case EntryRole::kRequires:
    contents.unified_shared_memory |= (data & kUnifiedSharedMemory) != 0;
    return {};
  case EntryRole::kForeign:
    return {};
  case EntryRole::kConstructor:
  case EntryRole::kDestructor:
    return fail(
        "the entry '{}' is a device constructor as Clang 16 and older emit it; rebuild with "
        "Clang 19 or 22",
        name);
  case EntryRole::kUnknown:
    break;
  }
  return fail("the entry '{}' has the flags {:#x}, which this runtime does not know; it was built "
              "by a newer Clang than Gantry supports",
              name, flags);
}

/// True if the bytes are an entry of the newer layout. A legacy entry with a null address (a
/// requires record) has a pointer where this looks for a version, a kind and flags: no pointer is
/// that small.
bool is_current(const CurrentEntry& entry) {
  const bool known_kind = entry.kind == 1 || entry.kind == 2 || entry.kind == 4 || entry.kind == 8;
  constexpr std::uint32_t kAllFlags = 0xff;
  return entry.reserved == 0 && known_kind && entry.flags <= kAllFlags;
}

/// Reads a table of entries of one layout, at any alignment. `append_one` appends one of them.
template <typename Entry, typename Append>
Status decode_table(std::span<const std::byte> table, ProgramContents& contents,
                    Append append_one) {
  if (table.size() % sizeof(Entry) != 0) {
    return fail("the table of offload entries has {} bytes, which is no multiple of {}",
                table.size(), sizeof(Entry));
  }
  contents.entries.reserve(table.size() / sizeof(Entry));
  for (; !table.empty(); table = table.subspan(sizeof(Entry))) {
    Entry entry;
    std::memcpy(&entry, table.data(), sizeof entry);
    GANTRY_TRY(append_one(entry));
  }
  return {};
}

Status decode_entries(std::span<const std::byte> table, ProgramContents& contents) {
  if (table.empty()) {
    return {};
  }
  CurrentEntry first{};
  std::memcpy(&first, table.data(), std::min(table.size(), sizeof first));
  if (!is_current(first)) {
    return decode_table<LegacyEntry>(table, contents, [&](const LegacyEntry& entry) {
      return append(entry.address, entry.name, entry.size, format::kOpenMpEntryKind,
                    static_cast<std::uint32_t>(entry.flags), static_cast<std::uint64_t>(entry.data),
                    contents);
    });
  }
  if (first.version != format::kCurrentEntryVersion) {
    return fail("the offload entries are of version {}, and this runtime knows version {}; they "
                "were made by a newer Clang than Gantry supports",
                first.version, format::kCurrentEntryVersion);
  }
  return decode_table<CurrentEntry>(table, contents, [&](const CurrentEntry& entry) {
    return append(entry.address, entry.name, entry.size, entry.kind, entry.flags, entry.data,
                  contents);
  });
}

/// Clang 15 and 16 register the container, later versions the image inside it.
Status decode_image(std::span<const std::byte> bytes, ProgramContents& contents) {
  if (!format::is_offload_binary(bytes)) {
    contents.images.push_back(bytes);
    return {};
  }
  auto images =
      GANTRY_TRY_CONTEXT(format::read_offload_binaries(bytes), "a registered device image");
  for (const format::OffloadImage& image : images) {
    if (image.offload_kind == format::OffloadKind::kOpenMp) {
      contents.images.push_back(image.contents);
    }
  }
  return {};
}

} // namespace

Result<ProgramContents> decode_program(const void* pointer) {
  const auto& descriptor = *static_cast<const Descriptor*>(pointer);
  ProgramContents contents;
  contents.has_own_variables = has_own_variables;
  for (std::int32_t i = 0; i < descriptor.image_count; ++i) {
    const DeviceImage& image = descriptor.images[i];
    GANTRY_TRY(decode_image({image.begin, image.end}, contents));
  }
  GANTRY_TRY(decode_entries({descriptor.entries_begin, descriptor.entries_end}, contents));
  return contents;
}

} // namespace gantry::abi::clang
