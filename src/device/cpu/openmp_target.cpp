// Part of every image with pairs of GCC's design of 2013 (docs/gomp4-table.md). Such an image needs
// no tables, because the program's descriptor has the addresses.
#include "device/cpu/gcc_image.h"

extern "C" {

/// What a link asks for to have this file in the image.
extern const char __gantry_openmp_target;
__attribute__((visibility("default"), used)) const char __gantry_openmp_target = 1;

__attribute__((visibility("default"), used))
const gantry_gcc_image __gantry_gcc_image = {nullptr, nullptr, nullptr, nullptr, gantry_run_region};

} // extern "C"
