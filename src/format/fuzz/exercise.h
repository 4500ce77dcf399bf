// Reads foreign bytes with every reader of src/format, for the fuzzer and for the tests of damaged
// inputs.
#pragma once

#include "base/bytes.h"

namespace gantry::format {

/// Reads `bytes` as every kind of file there is a reader for, through to the last field. Aborts if
/// an invariant does not hold: images that were read must survive being written and read again.
void exercise(Bytes bytes);

} // namespace gantry::format
