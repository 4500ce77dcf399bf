/* What the device library in an image for a CPU-like device and the plugin that runs the image have
 * in common: variables of the image that the plugin sets, found by name.
 *
 *   __gantry_device_number           int: the OpenMP number of the image's device
 *   __gantry_functions               const gantry_functions*: calls by pointer, below
 *   __omp_offloading_fptr_map_p      the function table, sorted
 *   __omp_offloading_fptr_map_size   the number of its elements
 *
 *   __gantry_gcc_image               const gantry_gcc_image: in images that GCC's objects make
 *   __gantry_run_league              gantry_run_league: in images with kernels of Flang's; such a
 *                                    kernel K is one with a variable K_kernel_environment
 *
 * The first two are set in the plugin's copy of the image, before it is loaded. The next two are
 * for tools: what they show is good until images are loaded or unloaded.
 */
#ifndef GANTRY_CPU_IMAGE_H
#define GANTRY_CPU_IMAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gantry_function_slot {
  uintptr_t host; /**< 0: the slot is free */
  uintptr_t device;
} gantry_function_slot;

/** Which function of the device stands for one of the host: a hash table whose number of slots is a
    power of two and at least four times that of the functions. A host address is in the first slot
    that is free for it from gantry_function_hash() on, in a circle.

    Lives as long as its device. The plugin changes it while device code reads it: `version` is odd
    meanwhile and another one afterwards, and what was read in between has to be read again. Slots
    that were replaced by more are still there to be read. */
typedef struct gantry_functions {
  uint64_t version;
  const gantry_function_slot* slots;
  uint64_t mask; /**< their number, less 1 */
  /** Null, or asked about a pointer that the table does not have, before a call through it that
      begins at `call`. */
  void (*check)(const void* pointer, const void* call);
} gantry_functions;

/** An element of GCC's table of variables. */
typedef struct gantry_gcc_variable {
  void* address;
  uint64_t size; /**< the highest bit: a declare target link variable */
} gantry_gcc_variable;

/** The target regions and variables of an image that is GCC's code for the host. They have no names
    of their own; "#N" stands for the one that N others precede, and "@HEX" for the one at that
    address of the image before it is loaded. */
typedef struct gantry_gcc_image {
  void (*const* functions)(void*);
  void (*const* functions_end)(void*);
  const gantry_gcc_variable* variables;
  const gantry_gcc_variable* variables_end;
  /** Runs a region as an initial thread does. `teams` is 0 if their number is open, and 1 too if
     the construct has no teams; `thread_limit` is 0 if there is none. */
  void (*run)(void (*region)(void*), void* block, uint32_t teams, uint32_t thread_limit);
} gantry_gcc_image;

/** Calls `team` with `context` once for each team of a league. `teams` is 0 if their number is
   open, `thread_limit` is 0 if there is none. Of kernels that are written for one team. */
typedef void gantry_run_league(void (*team)(void*), void* context, uint32_t teams,
                               uint32_t thread_limit);

/** The low bits of a function's address are few; the product's high half depends on all of them. */
static inline uint64_t gantry_function_hash(uintptr_t host) {
  return (host * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
}

#ifdef __cplusplus
}
#endif

#endif
