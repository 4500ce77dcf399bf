// Directives that stand in modules and in functions alike.
#pragma once

#include "simt/ptx/declaration.h"

namespace gantry::simt::ptx {

/// `.loc` with its numbers, the cursor standing on the directive.
[[nodiscard]] bool parse_loc(Cursor& cursor, SourcePosition& position);
/// `.file` with its number and name, entered in the module.
[[nodiscard]] bool parse_file(ParseContext& context);
/// `.pragma "…";`, without effect.
[[nodiscard]] bool skip_pragma(Cursor& cursor);
/// Numbers with commas between them, as many as there are.
[[nodiscard]] bool skip_numbers(Cursor& cursor);

} // namespace gantry::simt::ptx
