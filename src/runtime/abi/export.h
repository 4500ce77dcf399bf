// Marks a function as part of the library's ABI; everything else is hidden.
#pragma once

#define GANTRY_EXPORT extern "C" __attribute__((visibility("default")))
