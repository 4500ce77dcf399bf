// Mistakes that GANTRY_CHECK looks for in a table of mappings: nothing that the standard forbids,
// and seldom what is meant.
#pragma once

#include "runtime/core/data/construct_work.h"

#include <string>
#include <vector>

namespace gantry::core {

/// GANTRY_CHECK=attached: warns of storage that a construct takes off the device while pointers
/// that stay there are attached to it. With the lock of the device data environment.
void warn_of_attached(const MappingTable& table, const ConstructWork& work);

/// GANTRY_CHECK=leaks: what is mapped by constructs and not for ever, a sentence for each. With the
/// lock.
[[nodiscard]] std::vector<std::string> leaks_of(const MappingTable& table);

} // namespace gantry::core
