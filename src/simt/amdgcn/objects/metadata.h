// What a code object says of its kernels beside their descriptors: a note in MessagePack
// (AMDGPUUsage, "Code Object Metadata").
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry::simt::amdgcn {

struct KernelMetadata {
  std::string symbol; ///< of the descriptor: "NAME.kd"
  std::optional<std::uint32_t> kernarg_bytes;
  std::optional<std::uint32_t> kernarg_alignment;
  std::optional<std::uint32_t> wavefront_size;
  std::optional<bool> uses_dynamic_stack;
};

/// The kernels that the contents of one note describe. Nothing that the executor does not use is
/// looked at.
[[nodiscard]] Result<std::vector<KernelMetadata>> parse_metadata(Bytes note);

} // namespace gantry::simt::amdgcn
