// Marks a function as part of the library's ABI; everything else is hidden.
#pragma once

/// The callers are C code, libomp and programs that catch exceptions of their own: one that left
/// the library half way would leave its marks and counts behind. Clang ends the process where an
/// exception would leave a function that is declared `nothrow`, as if it were noexcept.
#define GANTRY_EXPORT extern "C" __attribute__((visibility("default"), nothrow))
