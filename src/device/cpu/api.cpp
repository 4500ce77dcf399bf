// The standard's device routines inside an image for a CPU-like device (OpenMP 5.2, sections 18.7.3
// to 18.7.8). Without them the image would call libomp's, which answer for their process: the
// program, or a worker, which has no devices. Where the standard leaves the result inside a region
// open, it is the same as on a GPU.

#include <gantry/cpu_image.h>
#include <gantry/plugin.h>

extern "C" {

// See gantry/cpu_image.h. One piece, so that an image has all of them if it has one.

/// The OpenMP number of the device that the image is loaded on. The plugin writes it into its copy
/// of the image before loading, so that constructors of device globals see it too.
extern const volatile int __gantry_device_number;
__attribute__((visibility("default"), used)) const volatile int __gantry_device_number = -1;

extern const gantry_functions* const volatile __gantry_functions;
__attribute__((visibility("default"), used))
const gantry_functions* const volatile __gantry_functions = nullptr;

__attribute__((visibility("default"), weak))
__omp_offloading_fptr_map_ty* __omp_offloading_fptr_map_p = nullptr;
__attribute__((visibility("default"), weak)) uint64_t __omp_offloading_fptr_map_size = 0;

__attribute__((visibility("hidden"))) int omp_is_initial_device() {
  return 0;
}

__attribute__((visibility("hidden"))) int omp_get_device_num() {
  return __gantry_device_number;
}

__attribute__((visibility("hidden"))) int omp_get_initial_device() {
  return -1; // omp_initial_device: a number that is the host's whatever devices there are
}

/// The runtime's, which images in its process find.
__attribute__((weak)) int __tgt_get_num_devices();

/// Elsewhere there are as many as are known of: those up to the image's own.
__attribute__((visibility("hidden"))) int omp_get_num_devices() {
  return __tgt_get_num_devices != nullptr ? __tgt_get_num_devices() : __gantry_device_number + 1;
}

} // extern "C"
