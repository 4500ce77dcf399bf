// What ELF's header <elf.h> does not have of AMD's GPUs (AMDGPUUsage, "ELF Header", "Note Records",
// "Relocation Records").
#pragma once

#include <cstdint>
#include <string_view>

namespace gantry::simt::amdgcn {

inline constexpr unsigned kMachineAmdGpu = 224;
inline constexpr unsigned kOsAbiHsa = 64;
inline constexpr unsigned kAbiOfVersion3 = 1; ///< the code object's version
inline constexpr unsigned kAbiOfVersion6 = 4;

// The header's flags.
inline constexpr std::uint32_t kMachMask = 0xff;
inline constexpr std::uint32_t kXnackOfVersion3 = 0x100;
inline constexpr std::uint32_t kSramEccOfVersion3 = 0x200;
inline constexpr std::uint32_t kXnackMask = 0x300;
inline constexpr std::uint32_t kXnackOff = 0x200;
inline constexpr std::uint32_t kXnackOn = 0x300;
inline constexpr std::uint32_t kSramEccMask = 0xc00;
inline constexpr std::uint32_t kSramEccOff = 0x800;
inline constexpr std::uint32_t kSramEccOn = 0xc00;

inline constexpr std::string_view kNoteOwner{"AMDGPU\0", 7}; ///< its NUL counts
inline constexpr std::uint32_t kNoteMetadata = 32;
inline constexpr std::uint64_t kNoteAlignment = 4;

struct RelocationType {
  enum : std::uint32_t {
    kNone = 0,
    kAbs32Low = 1,
    kAbs32High = 2,
    kAbs64 = 3,
    kRel32 = 4,
    kRel64 = 5,
    kAbs32 = 6,
    kRel32Low = 10,
    kRel32High = 11,
    kRelative64 = 13,
  };
};

} // namespace gantry::simt::amdgcn
