// What each level has, as its own files define it.
#pragma once

#include "simt/amdgcn/exec/levels.h"

namespace gantry::simt::amdgcn {

namespace baseline {
[[nodiscard]] const LevelMeanings& level_meanings();
}
namespace avx2 {
[[nodiscard]] const LevelMeanings& level_meanings();
}
namespace avx512 {
[[nodiscard]] const LevelMeanings& level_meanings();
}

} // namespace gantry::simt::amdgcn
