// What happens on devices, told to the tool: the callbacks of OpenMP 5.2, sections 19.5.2.19 to
// 19.5.2.28, in the order of LLVM's runtime (docs/ompt.md has the differences).
#pragma once

#include "runtime/core/events/events.h"

namespace gantry::abi::ompt {

/// Tells the tool. Any thread.
[[nodiscard]] core::EventListener& listener();

/// Tells the tool of the devices that were opened before it was there.
void tell_of_open_devices();

/// Tells the tool that each device it knows is at its end: records that are left are delivered,
/// images are unloaded, and the device is finalised. Once.
void finish_devices();

} // namespace gantry::abi::ompt
