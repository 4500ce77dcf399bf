/* What the libcuda.so.1 of the PTX executor exports beyond the CUDA driver's interface. A program
 * that may run on either looks the names up and does without them where they are missing.
 */
#ifndef GANTRY_SIMT_DRIVER_H
#define GANTRY_SIMT_DRIVER_H

#include <stddef.h>

#include <gantry/cuda_driver.h>
#include <gantry/gantry.h>
#include <gantry/simt_fault.h>

#ifdef __cplusplus
extern "C" {
#endif

/** For runtimes that keep memory for later use: with `freed` not 0, kernels that access
    [address, address + size), which is all of an allocation of cuMemAlloc or cuMemHostAlloc or its
    end, are reported as if it had been freed; with 0 it is in use, and if it is device memory
    nothing was written to it. Its content stays. Any thread, in any context. */
void gantry_simt_set_freed(CUdeviceptr address, size_t size, int freed) GANTRY_NOEXCEPT;

/** From now on kernels on the device may access all memory of the process, as on a GPU with
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, which the device then has. Addresses at which
   nothing is mapped stay faults. CUDA_ERROR_INVALID_DEVICE if there is no such device. Any thread.
 */
CUresult gantry_simt_use_host_memory(CUdevice device) GANTRY_NOEXCEPT;

/** cuMemAlloc of memory that begins at `address`, where that is a multiple of 64 and free:
    GANTRY_SIMT_ARENA says where addresses begin. CUDA_ERROR_OUT_OF_MEMORY if it is not. Any
    thread. */
CUresult gantry_simt_allocate_at(CUdeviceptr address, size_t size) GANTRY_NOEXCEPT;

/** The threads of a block that run fastest, for launches whose program does not say how many: one
    warp, which never waits for another. 0 while GANTRY_SIMT_CHECK watches how the warps of a block
    work together, of which there should be several. Any thread. */
unsigned gantry_simt_usual_block_size(void) GANTRY_NOEXCEPT;

/** The fault that ended the work of the calling thread's current context, with
    strings that live as long as the context; CUDA_ERROR_NOT_FOUND if none did. */
CUresult gantry_simt_get_fault(gantry_simt_fault* fault) GANTRY_NOEXCEPT;

/** Calls `visit` for every environment variable that the executor reads and libgantry does not, in
    the order to be shown. Any thread. */
void gantry_simt_visit_environment(gantry_environment_visitor visit, void* data) GANTRY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
