// The stack for globalised variables.
#pragma once

namespace gantry::device {

/// By one thread when a kernel begins.
void start_stack();

} // namespace gantry::device
