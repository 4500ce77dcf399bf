// Checks the undefined symbols of a CPU target's linked image.
#pragma once

#include "base/result.h"
#include "link/device_diagnostics.h"
#include "link/group.h"
#include "link/target.h"

#include <cstddef>
#include <vector>

namespace gantry::link {

/// True if the group's image must be linked without -z defs, because it uses functions of a
/// sanitizer that the executable has: this one, or the one that will load this shared library.
[[nodiscard]] bool shares_sanitizer_runtime(const DeviceGroup& group, const ObjectOrigins& objects,
                                            const DeviceLinkContext& context);

/// An error for each symbol of `image` that would be found in the wrong place, the host's half of a
/// shared library whose device half defines it (link/library_images.h), or, if the image was linked
/// without -z defs, nowhere.
[[nodiscard]] Status check_undefined(const DeviceGroup& group, const ObjectOrigins& objects,
                                     const DeviceLinkContext& context,
                                     const std::vector<std::byte>& image);

} // namespace gantry::link
