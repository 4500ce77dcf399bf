// Calls of functions with more parameters than there are callers for in launch.cpp.
#pragma once

#include <cstdint>

namespace gantry::cpu {

/// Calls `function` with `count` arguments of pointer size. GANTRY_SUCCESS or an error, kept.
std::int32_t call_with_many(void* function, void* const* arguments, std::uint32_t count);

} // namespace gantry::cpu
