// All tables of meanings, of a level.
#include "simt/amdgcn/exec/levels.h"
#include "simt/amdgcn/exec/meanings.h"

#include <array>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

// Declared here, because who calls it (level_meanings.h) names the level.
[[nodiscard]] const LevelMeanings& level_meanings();

const LevelMeanings& level_meanings() {
  static const std::array tables = {vector_integer_meanings(), vector_float_meanings(),
                                    vector_compare_meanings(), vector_lane_meanings(),
                                    vector_packed_meanings(),  vector_halves_meanings(),
                                    memory_meanings(),         shared_meanings(),
                                    scalar_meanings(),         flow_meanings(),
                                    scalar_memory_meanings(),  vector_half_meanings(),
                                    vector_mixed_meanings(),   matrix_meanings(),
                                    indexed_meanings(),        mode_meanings()};
  static const LevelMeanings all = {tables, run_modified, run_in_pattern};
  return all;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
