// Images for NVIDIA's GPUs from objects of GCC: GCC's own program makes them, and they are
// registered as early as those for the CPU.
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace gantry::link {

/// Runs GCC's mkoffload for nvptx with the `arguments` of GCC's driver: it makes the object that
/// holds the image and registers it. Then gives the object's constructor and destructor a priority
/// outside of the program's own, because those may have target regions. Returns the exit status for
/// the driver.
[[nodiscard]] Result<int> make_gcc_nvptx_image(const std::vector<std::string>& arguments);

} // namespace gantry::link
