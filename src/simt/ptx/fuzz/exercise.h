// All that this room does with a text, in one call: what the fuzzer and the tests of damaged texts
// drive.
#pragma once

#include <string_view>

namespace gantry::simt::ptx {

/// Parses `text`, several modules if bytes of value 1 divide it, links them and follows every
/// kernel. Aborts if something that a reader of the result relies on does not hold, above all if an
/// index is outside its table.
void exercise(std::string_view text);

} // namespace gantry::simt::ptx
