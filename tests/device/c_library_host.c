// Routines that omp.h declares and libomp 22 does not define, so that the host's half of
// c_library.c links. Nothing calls them.
#include <omp.h>

#define OF_DEVICES(kind, Handle)                                                                   \
  Handle omp_get_devices_##kind(int count, const int* devices, omp_memspace_handle_t space) {      \
    (void)count, (void)devices, (void)space;                                                       \
    return (Handle)0;                                                                              \
  }                                                                                                \
  Handle omp_get_device_##kind(int device, omp_memspace_handle_t space) {                          \
    (void)device, (void)space;                                                                     \
    return (Handle)0;                                                                              \
  }                                                                                                \
  Handle omp_get_devices_and_host_##kind(int count, const int* devices,                            \
                                         omp_memspace_handle_t space) {                            \
    (void)count, (void)devices, (void)space;                                                       \
    return (Handle)0;                                                                              \
  }                                                                                                \
  Handle omp_get_device_and_host_##kind(int device, omp_memspace_handle_t space) {                 \
    (void)device, (void)space;                                                                     \
    return (Handle)0;                                                                              \
  }                                                                                                \
  Handle omp_get_devices_all_##kind(omp_memspace_handle_t space) {                                 \
    (void)space;                                                                                   \
    return (Handle)0;                                                                              \
  }

OF_DEVICES(memspace, omp_memspace_handle_t)
OF_DEVICES(allocator, omp_allocator_handle_t)

int omp_get_memspace_num_resources(omp_memspace_handle_t space) {
  (void)space;
  return 0;
}

omp_memspace_handle_t omp_get_submemspace(omp_memspace_handle_t space, int count, int* resources) {
  (void)space, (void)count, (void)resources;
  return (omp_memspace_handle_t)0;
}
