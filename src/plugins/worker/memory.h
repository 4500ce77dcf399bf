// Copies between the program's memory and a worker's.
#pragma once

#include "plugins/worker/worker.h"

#include <cstdint>

namespace gantry::worker {

/// What lies in the arena is copied by the program; the rest, which is in the images' own memory,
/// through a channel. GANTRY_SUCCESS or an error, kept.
std::int32_t copy_to_device(Worker& worker, void* device_address, const void* host,
                            std::uint64_t size);
std::int32_t copy_to_host(Worker& worker, void* host, const void* device_address,
                          std::uint64_t size);

} // namespace gantry::worker
