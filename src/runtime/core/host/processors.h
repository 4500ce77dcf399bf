// The processors that the program was given, before its host runtime bound threads to some.
#pragma once

#include <cstdint>
#include <span>

namespace gantry::core {

/// As sched_getaffinity() had them when libgantry was loaded, a bit each; empty if it had none.
[[nodiscard]] std::span<const unsigned long> processors_at_start();

} // namespace gantry::core
