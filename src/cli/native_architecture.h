// --offload-arch=native.
#pragma once

#include <string>

namespace gantry::cli {

/// The architectures of this machine's GPUs, NVIDIA's and AMD's, as --offload-arch takes them
/// ("sm_80,sm_90,gfx90a"). Without any the PTX executor's, and a note that says so.
[[nodiscard]] std::string native_architectures();

} // namespace gantry::cli
