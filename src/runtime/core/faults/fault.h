// What ended a device, in words that a program's author understands: which region, where in it, and
// what the address means that was accessed.
#pragma once

#include "runtime/core/data/data_environment.h"

#include <string>

#include <gantry/plugin.h>

namespace gantry::core {

/// A sentence without its end, such as "app.cpp:14: the region of 'main' at line 12 wrote to
/// address 0x3d0000003000, right behind 'Y', which has 8192 bytes and was mapped at app.cpp:9".
/// Empty if the plugin's message says all there is. `data` is the device's, `items` are those of
/// the region that failed, and `host_address` its kernel's, if they are known. No lock is held.
[[nodiscard]] std::string describe_fault(const gantry_fault& fault, const DataEnvironment& data,
                                         Items items = {}, const void* host_address = nullptr);

} // namespace gantry::core
