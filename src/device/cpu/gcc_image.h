// Shared by the files of images that are made of GCC's objects.
#pragma once

#include <stdint.h>

#include <gantry/cpu_image.h>

#define GANTRY_HIDDEN __attribute__((visibility("hidden")))

extern "C" {

/// gantry_gcc_image::run.
GANTRY_HIDDEN void gantry_run_region(void (*region)(void*), void* block, uint32_t teams,
                                     uint32_t thread_limit);

extern const gantry_gcc_image __gantry_gcc_image;

} // extern "C"
