/* What the libhsa-runtime64.so.1 of the executor of AMD's code exports beyond the HSA interface. A
 * program that may run on either looks the names up and does without them where they are missing.
 */
#ifndef GANTRY_SIMT_HSA_H
#define GANTRY_SIMT_HSA_H

#include <stddef.h>

#include <gantry/gantry.h>
#include <gantry/simt_fault.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#ifdef __cplusplus
extern "C" {
#endif

/** For runtimes that keep memory for later use: with `freed` not 0, kernels that access
    [address, address + size), which is all of an allocation of hsa_amd_memory_pool_allocate, are
    reported as if it had been freed; with 0 it is in use, and if it is device memory nothing was
    written to it. Its content stays. Any thread. */
void gantry_simt_hsa_set_freed(const void* address, size_t size, int freed) GANTRY_NOEXCEPT;

/** hsa_amd_memory_pool_allocate of memory that begins at `address`, where that is a multiple of 64
    and free: GANTRY_SIMT_ARENA says where addresses begin. HSA_STATUS_ERROR_OUT_OF_RESOURCES if it
    is not. Any thread. */
hsa_status_t gantry_simt_hsa_allocate_at(hsa_amd_memory_pool_t pool, void* address,
                                         size_t size) GANTRY_NOEXCEPT;

/** From now on kernels on the device may access all memory of the process. Addresses at which
    nothing is mapped stay faults. HSA_STATUS_ERROR_INVALID_AGENT if there is no such device. Any
    thread. */
hsa_status_t gantry_simt_hsa_use_host_memory(hsa_agent_t agent) GANTRY_NOEXCEPT;

/** The last fault of a kernel or packet on the agent, which callbacks of events and queues are
   about, with strings that live until the last hsa_shut_down. HSA_STATUS_ERROR if there was none.
   Any thread.
 */
hsa_status_t gantry_simt_hsa_get_fault(hsa_agent_t agent, gantry_simt_fault* fault) GANTRY_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
