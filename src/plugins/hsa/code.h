// On which devices a code object runs.
#pragma once

#include "base/amd_code.h"

#include <string_view>

namespace gantry::hsa {

/// What a device is, from the name of its instruction set ("amdgcn-amd-amdhsa--gfx90a:sramecc+:
/// xnack-"), which has to outlive the result.
[[nodiscard]] AmdProcessor processor_of_device(std::string_view instruction_set);

/// How well code suits a device, compared with other code: 0 if it does not run there.
[[nodiscard]] unsigned rank_of(const AmdProcessor& code, const AmdProcessor& device);

} // namespace gantry::hsa
