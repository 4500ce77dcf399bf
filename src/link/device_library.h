// Bitcode of Gantry's own that becomes part of an image.
#pragma once

#include "base/result.h"

#include <filesystem>

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Links into the module what it needs of the bitcode file at `path`, internal, but for
/// what is protected: the host asks for that. What the program defines itself stands in for weak
/// definitions of the library.
[[nodiscard]] Status link_device_library(llvm::Module& module, const std::filesystem::path& path);

} // namespace gantry::link
