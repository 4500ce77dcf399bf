// What processors call instructions that have a name of gfx9's in tests.
#pragma once

#include "simt/amdgcn/objects/processor.h"

#include <string>
#include <string_view>

namespace gantry::simt::amdgcn {

/// Empty if it has none. Of a name with the prefix of its kind of memory, or a name of gfx11's own,
/// which it returns.
[[nodiscard]] std::string name_on(const Processor& processor, std::string_view name);

} // namespace gantry::simt::amdgcn
