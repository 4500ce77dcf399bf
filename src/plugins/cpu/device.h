// The devices of the cpu plugin. They differ in their number and in how memory is mapped.
#pragma once

#include <cstdint>

namespace gantry::cpu {

/// The OpenMP device number of an open device.
[[nodiscard]] std::int32_t openmp_number(std::int32_t device);

} // namespace gantry::cpu
