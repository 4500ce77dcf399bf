// What is wrong with linked device code although its linker did not object.
#pragma once

#include "base/result.h"
#include "link/group.h"

#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gantry::link {

/// An entry of a host object that no symbol of the linked image answers to: at run time its kernel
/// would fail to launch, or its variable to be mapped.
[[nodiscard]] Status check_entries(const DeviceGroup& group, const std::vector<std::byte>& image);
/// The same of an image of which the `defined` symbols are known.
[[nodiscard]] Status check_entries(const DeviceGroup& group,
                                   const std::unordered_set<std::string_view>& defined);

} // namespace gantry::link
