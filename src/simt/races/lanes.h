// Threads as the race check sees them: rows of 32 lanes, which are a warp of NVIDIA's GPUs or a
// part of a wave of AMD's.
#pragma once

#include <cstdint>

namespace gantry::simt {

inline constexpr unsigned kLanes = 32;
using LaneMask = std::uint32_t; ///< a bit for each lane
inline constexpr LaneMask kAllLanes = 0xFFFF'FFFF;
inline constexpr std::uint32_t kMostWarps = 32; ///< of a block

} // namespace gantry::simt
