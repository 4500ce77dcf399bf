// CUDA's own mathematics, where a toolkit is installed and asked for.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Links into the module what it needs of CUDA's libdevice at `path`, and folds libdevice's queries
/// of its compiler (__nvvm_reflect: NVVM IR specification) for `arch` ("sm_90") and subnormal
/// numbers that are kept.
[[nodiscard]] Status link_libdevice(llvm::Module& module, const std::filesystem::path& path,
                                    const std::string& arch);

} // namespace gantry::link
