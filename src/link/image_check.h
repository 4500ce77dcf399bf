// Errors in linked device code that its linker does not report.
#pragma once

#include "base/result.h"
#include "link/group.h"

#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gantry::link {

/// An error for a host object's entry without a symbol in the linked image: at run time its kernel
/// could not be launched, or its variable not be mapped.
[[nodiscard]] Status check_entries(const DeviceGroup& group, const std::vector<std::byte>& image);
/// The same, for an image whose `defined` symbols are known.
[[nodiscard]] Status check_entries(const DeviceGroup& group,
                                   const std::unordered_set<std::string_view>& defined);

} // namespace gantry::link
