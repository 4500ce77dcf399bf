// The structures that code compiled by Clang 15 to 22 and the runtime share; docs/clang-abi.md
// describes them field by field. 64-bit targets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gantry::abi::clang {

/// Position of a construct; psource is ";file;function;line;column;;".
struct Ident {
  std::int32_t reserved_1;
  std::int32_t flags;
  std::int32_t reserved_2;
  std::int32_t reserved_3;
  const char* psource;
};
static_assert(sizeof(Ident) == 24);

struct DeviceImage {
  const std::byte* begin;
  const std::byte* end;
  const std::byte* entries_begin;
  const std::byte* entries_end;
};
static_assert(sizeof(DeviceImage) == 32);

struct Descriptor {
  std::int32_t image_count;
  const DeviceImage* images;
  const std::byte* entries_begin;
  const std::byte* entries_end;
};
static_assert(sizeof(Descriptor) == 32);

/// What a launch hands over. Version 1 ends before `flags`.
struct KernelArguments {
  std::uint32_t version;
  std::uint32_t item_count;
  void** bases;
  void** begins;
  const std::int64_t* sizes;
  const std::int64_t* types;
  void** names;
  void** mappers;
  std::uint64_t trip_count;
  std::uint64_t flags;
  std::uint32_t num_teams[3];
  std::uint32_t thread_limit[3];
  std::uint32_t dynamic_memory;
};
static_assert(offsetof(KernelArguments, flags) == 64 &&
              offsetof(KernelArguments, dynamic_memory) == 96);

/// Bits of a map entry's type.
enum MapType : std::uint64_t {
  kTo = 0x1,
  kFrom = 0x2,
  kAlways = 0x4,
  kDelete = 0x8,
  kPointerAndObject = 0x10,
  kTargetParameter = 0x20,
  kReturnParameter = 0x40,
  kPrivate = 0x80,
  kLiteral = 0x100,
  kImplicit = 0x200,
  kClose = 0x400,
  kPresent = 0x1000,
  kHold = 0x2000,
  kAttach = 0x4000,
  kNonContiguous = std::uint64_t{1} << 44,
};

/// Bits of a requires record and of __tgt_register_requires.
inline constexpr std::uint64_t kUnifiedSharedMemory = 8;

/// The upper 16 bits: 0, or the number of the parent entry counted from 1.
inline constexpr int kMemberOfShift = 48;

/// A default mapper or a user's declared one.
using MapperFunction = void (*)(void* handle, void* base, void* begin, std::int64_t size,
                                std::int64_t type, void* name);

} // namespace gantry::abi::clang
