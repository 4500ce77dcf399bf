// What the driver says to the program's user.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/image.h"
#include "simt/driver/jit_options.h"

namespace gantry::simt::driver {

/// To the program's error log; to standard error if it has none.
void report_image_error(const ImageError& error, JitOptions& options);

/// Under GANTRY_INFO, once for each name: the entry point, or what it was asked for, is not
/// offered. Returns CUDA_ERROR_NOT_SUPPORTED.
CUresult not_offered(const char* what) noexcept;

} // namespace gantry::simt::driver
