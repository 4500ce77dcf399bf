// Pointer attachment (OpenMP 5.2, section 5.8.3). With the lock of the device data environment.
#pragma once

#include "runtime/core/data/construct_work.h"

namespace gantry::core {

/// Plans to make the corresponding pointer of an item point to the corresponding pointee, if both
/// are present and one of them is new.
void attach(MappingTable& table, const MapItem& item, ConstructWork& work);

/// Where storage is unified: true if a pointer inside [begin, begin + size) is to be attached to
/// storage that the device has of its own. Then the pointer needs storage of its own too, or the
/// host's pointer would change.
[[nodiscard]] bool points_to_own_storage(MappingTable& table, Items items, std::uintptr_t begin,
                                         std::uint64_t size, ConstructWork& work);

/// The corresponding address of what an item's pointer points to; 0 if that is not present.
[[nodiscard]] std::uintptr_t corresponding_pointee(MappingTable& table, const MapItem& item);

} // namespace gantry::core
