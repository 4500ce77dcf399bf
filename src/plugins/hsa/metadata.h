// What a code object says of its kernels beside their descriptors: the note with AMD's metadata, a
// MessagePack document (LLVM's "User Guide for AMDGPU Backend", "Code Object Metadata").
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace gantry::hsa {

/// Arguments that the launch adds to the kernel's own, as far as they are other than 0.
enum class HiddenArgument : std::uint8_t {
  kBlockCountX,
  kBlockCountY,
  kBlockCountZ,
  kGroupSizeX,
  kGroupSizeY,
  kGroupSizeZ,
  kRemainderX,
  kRemainderY,
  kRemainderZ,
  kGridDimensions,
  kDynamicGroupMemory,
  kPrivateBase,
  kSharedBase,
  kQueue,
};

struct HiddenArgumentPlace {
  HiddenArgument kind;
  std::uint32_t offset; ///< in the kernel arguments
  std::uint32_t size;
};

/// Numbers are 0 where the code object does not say them.
struct KernelMetadata {
  std::uint32_t wave_size = 0;
  std::uint32_t max_block_size = 0;
  std::uint32_t vector_registers = 0;
  std::uint32_t accumulation_registers = 0;
  std::vector<HiddenArgumentPlace> hidden;
  std::string
      unknown_argument; ///< a kind of argument that is none of AMD's; empty if all are known
};

/// By the kernel's name.
using Metadata = std::unordered_map<std::string, KernelMetadata>;

/// Of the code object's kernels; those that are behind something damaged are not there.
[[nodiscard]] Metadata read_metadata(Bytes code_object);

} // namespace gantry::hsa
