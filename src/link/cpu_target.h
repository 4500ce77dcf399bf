// Linking device code for a CPU: the image is a shared object of its own.
#pragma once

#include "link/target.h"

namespace gantry::link {

/// Links `group` with lld (or another linker for the CPU where lld is missing). Symbols that stay
/// undefined are an error that names them and the objects that use them.
[[nodiscard]] Result<LinkedImage> link_for_cpu(const DeviceGroup& group,
                                               const DeviceLinkContext& context);

/// The command of a linker that makes `image` for the host's CPU: the part that all such images
/// share.
[[nodiscard]] std::vector<std::string> cpu_image_command(const Arguments& arguments,
                                                         const std::filesystem::path& image);

} // namespace gantry::link
