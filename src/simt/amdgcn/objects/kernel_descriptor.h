// The kernel descriptor: the 64 bytes behind a symbol "NAME.kd", whose address is what a dispatch
// packet calls the kernel's object (AMDGPUUsage, "Kernel Descriptor").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gantry::simt::amdgcn {

struct KernelDescriptor {
  std::uint32_t group_bytes;   ///< LDS that the kernel has by itself
  std::uint32_t private_bytes; ///< of each work-item
  std::uint32_t kernarg_bytes; ///< 0 in those of GCC
  std::uint32_t reserved;
  std::int64_t entry; ///< of the code, counted from the descriptor
  std::array<std::uint8_t, 20> reserved_too;
  std::uint32_t rsrc3;
  std::uint32_t rsrc1;
  std::uint32_t rsrc2;
  std::uint16_t properties;
  std::uint16_t kernarg_preload;
  std::uint32_t reserved_at_last;
};
static_assert(sizeof(KernelDescriptor) == 64 && offsetof(KernelDescriptor, entry) == 16 &&
              offsetof(KernelDescriptor, rsrc3) == 44 &&
              offsetof(KernelDescriptor, properties) == 56);

/// Of its symbol, behind the kernel's name.
inline constexpr std::string_view kDescriptorSuffix = ".kd";
inline constexpr std::uint64_t kDescriptorAlignment = 64;
inline constexpr std::uint64_t kEntryAlignment = 256;
/// Of `properties`.
inline constexpr std::uint16_t kHasWavesOf32 = 1 << 10;
inline constexpr std::uint16_t kUsesDynamicStack = 1 << 11;

} // namespace gantry::simt::amdgcn
