/* What the libcuda.so.1 of the PTX executor exports beyond the CUDA driver's interface. A program
 * that may run on either looks the names up and does without them where they are missing.
 */
#ifndef GANTRY_SIMT_DRIVER_H
#define GANTRY_SIMT_DRIVER_H

#include <stddef.h>

#include <gantry/cuda_driver.h>

#ifdef __cplusplus
extern "C" {
#endif

/** For runtimes that keep memory for later use: with `freed` not 0, kernels that access
    [address, address + size), which is all of an allocation of cuMemAlloc or cuMemHostAlloc or its
    end, are reported as if it had been freed; with 0 it is in use, and if it is device memory
    nothing was written to it. Its content stays. Any thread, in any context. */
void gantry_simt_set_freed(CUdeviceptr address, size_t size, int freed);

#ifdef __cplusplus
}
#endif

#endif
