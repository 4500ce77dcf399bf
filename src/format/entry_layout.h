// Offload entries, as compiled code lays them out: one record for every kernel, global variable and
// function that exists on the host and on the device.
//
// Clang up to 19 emits 32-byte records into the section `omp_offloading_entries`, Clang 20 and
// later 56-byte records into `llvm_offload_entries`. The linker puts the records of all objects one
// after another and bounds them with `__start_<section>` and `__stop_<section>`.
// docs/offload-binary.md has both byte by byte.
//
// Used by the tools on files and by the runtime on memory; depends on nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gantry::format {

/// Clang up to 19. In memory at any alignment: objects give the section an alignment of 1.
struct LegacyEntry {
  void* address;
  const char* name;
  std::uint64_t size;
  std::int32_t flags;
  std::int32_t data;
};
static_assert(sizeof(LegacyEntry) == 32);
static_assert(offsetof(LegacyEntry, flags) == 24);

/// Clang 20 and later.
struct CurrentEntry {
  std::uint64_t reserved; ///< 0; tells the layouts apart, as a legacy address is hardly ever null
  std::uint16_t version;  ///< 1
  std::uint16_t kind;     ///< the programming model, an OffloadKind
  std::uint32_t flags;
  void* address;
  const char* name;
  std::uint64_t size;
  std::uint64_t data;
  void* auxiliary_address; ///< null for OpenMP
};
static_assert(sizeof(CurrentEntry) == 56);
static_assert(offsetof(CurrentEntry, address) == 16);
static_assert(offsetof(CurrentEntry, auxiliary_address) == 48);

inline constexpr char kLegacyEntrySection[] = "omp_offloading_entries";
inline constexpr char kCurrentEntrySection[] = "llvm_offload_entries";

inline constexpr std::uint16_t kCurrentEntryVersion = 1;
inline constexpr std::uint16_t kOpenMpEntryKind = 1;

/// Values of an OpenMP entry's flags.
enum EntryFlags : std::uint32_t {
  kEntryPlain = 0x00,            ///< a kernel if its size is 0, else a variable
  kEntryLink = 0x01,             ///< the reference pointer of a `declare target link` variable
  kEntryConstructor = 0x02,      ///< Clang 16 and before
  kEntryDestructor = 0x04,       ///< Clang 16 and before
  kEntryIndirectFunction = 0x08, ///< `declare target indirect`
  kEntryRequires = 0x10,         ///< `data` has the requirement bits
  kEntryIndirectVtable = 0x20,   ///< Clang 22: the vtable of a class with indirect functions
};

/// What an entry stands for.
enum class EntryRole : std::uint8_t {
  kKernel,
  kVariable,
  kLinkVariable,
  kConstructor,
  kDestructor,
  kIndirectFunction,
  kIndirectVtable,
  kRequires,
  kForeign, ///< of another programming model than OpenMP
  kUnknown, ///< OpenMP, with flags that none of Clang 14 to 22 emits
};

constexpr EntryRole entry_role(std::uint16_t kind, std::uint32_t flags, std::uint64_t size) {
  if (kind != kOpenMpEntryKind) {
    return EntryRole::kForeign;
  }
  switch (flags) {
  case kEntryPlain:
    return size == 0 ? EntryRole::kKernel : EntryRole::kVariable;
  case kEntryLink:
    return EntryRole::kLinkVariable;
  case kEntryConstructor:
    return EntryRole::kConstructor;
  case kEntryDestructor:
    return EntryRole::kDestructor;
  case kEntryIndirectFunction:
    return EntryRole::kIndirectFunction;
  case kEntryRequires:
    return EntryRole::kRequires;
  case kEntryIndirectVtable:
    return EntryRole::kIndirectVtable;
  default:
    return EntryRole::kUnknown;
  }
}

} // namespace gantry::format
