// The device link of all groups.
#pragma once

#include "base/result.h"
#include "link/arguments.h"
#include "link/group.h"
#include "link/registration.h"
#include "link/scan.h"

#include <filesystem>
#include <vector>

namespace gantry::link {

/// Links each group, as many at a time as --wrapper-jobs allows, with temporary files in folders
/// of `folder`; the images are in the groups' order. The errors of all groups come together, one a
/// line. With --dry-run the images are empty.
[[nodiscard]] Result<std::vector<LinkedImage>> link_groups(const std::vector<DeviceGroup>& groups,
                                                           const Arguments& arguments,
                                                           const Scan& scan,
                                                           const std::filesystem::path& folder);

} // namespace gantry::link
