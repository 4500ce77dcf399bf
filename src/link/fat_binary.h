// Machine code for NVIDIA's GPUs, by NVIDIA's own tools, where a toolkit is installed and asked
// for.
#pragma once

#include "base/result.h"
#include "link/target.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gantry::link {

/// Lets --ptxas assemble the PTX for `arch` ("sm_90"), and fatbinary put both into one container,
/// of which a driver takes the machine code if it is for its GPU and else the PTX.
[[nodiscard]] Result<std::vector<std::byte>> make_fat_binary(const std::filesystem::path& ptx,
                                                             const std::string& arch,
                                                             const DeviceLinkContext& context);

} // namespace gantry::link
