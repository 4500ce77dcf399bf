// Which function of a device stands for which of the host, over all programs that are loaded on it
// (OpenMP 5.2, section 7.8, the indirect clause).
#pragma once

#include <span>
#include <vector>

#include <gantry/plugin.h>

namespace gantry::core {

/// A function, or a place in a virtual table.
using FunctionPair = __omp_offloading_fptr_map_ty;

/// The table that a plugin gets: sorted by host address, each of which is in it once. Of several
/// pairs with one host address (an inline function is in many programs) the first of `lists`
/// serves.
[[nodiscard]] std::vector<FunctionPair>
merge_functions(std::span<const std::vector<FunctionPair>* const> lists);

} // namespace gantry::core
