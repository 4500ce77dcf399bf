// Initial values of variables.
#pragma once

#include "simt/ptx/declaration.h"

namespace gantry::simt::ptx {

/// Parses what follows `=` into the variable's `initial`, flattened. The elements of an array `x[]`
/// are counted.
[[nodiscard]] bool parse_initializer(ParseContext& context, Declarator& declarator);

} // namespace gantry::simt::ptx
