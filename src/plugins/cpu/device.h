// The devices of the cpu plugin. They differ in their number and in how memory is mapped.
#pragma once

#include "plugins/cpu/functions.h"

#include <cstdint>

namespace gantry::cpu {

/// The OpenMP device number of an open device.
[[nodiscard]] std::int32_t openmp_number(std::int32_t device);

/// Whether its teams have as many threads as constructs name: see full_teams.h.
[[nodiscard]] bool full_teams(std::int32_t device);

/// Calls by pointer on an open device.
[[nodiscard]] Functions& functions_of(std::int32_t device);

/// The OpenMP number of the device whose code is at `call`, with what is known of its image in
/// `unknown`; -1 and nothing if no image has it.
[[nodiscard]] std::int32_t device_of_call(const void* call, gantry_unknown_function& unknown);

} // namespace gantry::cpu
