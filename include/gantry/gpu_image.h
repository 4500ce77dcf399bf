/* What the device runtime in an image for a GPU and the plugin that runs the image have in common.
 *
 *   KERNEL_kernel_environment        gantry_kernel_environment: constant, beside each kernel
 *   KERNEL_open_team                 one byte, 1: the kernel's teams may have fewer threads than
 *                                    the program allows; not there for other kernels
 *   __omp_rtl_device_environment     gantry_device_environment: the plugin writes it before the
 *                                    image's first kernel, and whenever it changes
 *   __gantry_output                  8 bytes: the address of a gantry_output, which the plugin
 *                                    writes before the image's first kernel; 0: nothing reads what
 *                                    the code prints. Not there for GPUs whose driver has a printf
 *
 * A kernel's first argument is the address of a gantry_launch_environment in device memory, or
 * null. The layouts are those of Clang 22 and 19, which write the first and know of the others;
 * byte by byte in docs/nvidia.md.
 */
#ifndef GANTRY_GPU_IMAGE_H
#define GANTRY_GPU_IMAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** gantry_kernel_environment::mode. With both bits, the kernel was written as a generic one and
   made SPMD by the optimiser. */
enum {
  GANTRY_KERNEL_BARE = 0,    /**< does not call the runtime, gets exactly the grid asked for */
  GANTRY_KERNEL_GENERIC = 1, /**< one thread runs what is outside of parallel regions */
  GANTRY_KERNEL_SPMD = 2,    /**< all threads run the whole region */
};

/** The schedule of a distribute loop whose chunk is for the runtime to choose, where Clang's number
   would be 91, in chunks: no other number of Clang's is as large. */
enum { GANTRY_DISTRIBUTE_OPEN = 0x47000 };

typedef struct gantry_kernel_environment {
  uint8_t uses_state_machine; /**< workers run the runtime's; else the optimiser has made one */
  uint8_t may_nest;
  uint8_t mode;
  int32_t min_threads, max_threads; /**< of a team; not positive: no bound */
  int32_t min_teams, max_teams;
  int32_t reduction_bytes; /**< of one record of the buffer for reductions over teams */
  int32_t reduction_records;
  const void* ident;
  void* dynamic;
} gantry_kernel_environment;

typedef struct gantry_launch_environment {
  uint32_t arrived; /**< teams that have left their part of a reduction; zero before and after */
  uint32_t rounds;
  uint64_t records; /**< address of the buffer for reductions over teams */
} gantry_launch_environment;

typedef struct gantry_device_environment {
  uint32_t debug_kind;
  uint32_t device_count;
  uint32_t device_number; /**< as omp_get_device_num() says it */
  uint32_t dynamic_memory;
  uint64_t clock_frequency; /**< of the device, in Hz */
  uint64_t functions;       /**< address of the table of functions called by pointer, sorted */
  uint64_t function_count;
  uint64_t parallelism;
} gantry_device_environment;

/** What device code prints, in memory of the host that the device can access. Records follow one
   behind the other, without gaps, in the order in which they were reserved. The host sets all to
   zero, reads records, and begins again at the front when it has read them all: it exchanges
   `reserved` for 0 if nothing was reserved meanwhile. */
typedef struct gantry_output {
  uint64_t capacity; /**< bytes of records, a multiple of 8 */
  uint64_t
      reserved;  /**< bytes, to which threads add; what does not lie within `capacity` is lost */
  uint64_t lost; /**< messages */
  uint64_t unused;
} gantry_output;

/** A message. Behind it: the format with its NUL, and what its conversions take, without padding: 4
   or 8 bytes, or a string with its NUL. */
typedef struct gantry_output_record {
  uint32_t size; /**< of the whole, a multiple of 8; set first. GANTRY_OUTPUT_END: none follows */
  uint32_t complete; /**< 1: all of it is there */
} gantry_output_record;

enum { GANTRY_OUTPUT_END = 1 };

#ifdef __cplusplus
}
static_assert(sizeof(gantry_kernel_environment) == 48 && sizeof(gantry_launch_environment) == 16 &&
              sizeof(gantry_device_environment) == 48 && sizeof(gantry_output) == 32 &&
              sizeof(gantry_output_record) == 8);
#endif

#endif
