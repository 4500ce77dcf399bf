// Images for GPUs from objects of GCC: GCC's own program makes them, and they are registered as
// early as those for the CPU.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace gantry::link {

/// A kind of GPU that GCC compiles for.
struct GccGpu {
  std::string_view folder;  ///< of its mkoffload, below GCC's folders
  std::string_view devices; ///< for messages
  std::string_view package; ///< Debian's
};
inline constexpr GccGpu kGccNvptx = {"nvptx-none", "NVIDIA's GPUs", "gcc-12-offload-nvptx"};
inline constexpr GccGpu kGccAmdgcn = {"amdgcn-amdhsa", "AMD's GPUs", "gcc-12-offload-amdgcn"};

/// Runs GCC's mkoffload for these with the `arguments` of GCC's driver: it makes the object that
/// holds the image and registers it. Then gives the object's constructor and destructor a priority
/// outside of the program's own, because those may have target regions. Returns the exit status for
/// the driver.
[[nodiscard]] Result<int> make_gcc_gpu_image(const GccGpu& gpu,
                                             const std::vector<std::string>& arguments);

} // namespace gantry::link
