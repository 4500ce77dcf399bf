// The stack for variables that threads share.
#pragma once

namespace gantry::device {

/// By one thread when a kernel begins.
void start_stack();

} // namespace gantry::device
