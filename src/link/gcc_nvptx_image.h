// Images for NVIDIA's GPUs from objects of GCC: GCC's own program makes them, and they are
// registered as early as those for the CPU.
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace gantry::link {

/// Has GCC's mkoffload for nvptx make the object that holds the image and registers it; `arguments`
/// are those that GCC's driver has for it. The object's constructor then comes before the
/// program's, its destructor behind, which may have target regions. The exit status for the driver.
[[nodiscard]] Result<int> make_gcc_nvptx_image(const std::vector<std::string>& arguments);

} // namespace gantry::link
