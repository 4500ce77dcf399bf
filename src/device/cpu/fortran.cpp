// The device routines of api.cpp as Fortran calls them.

extern "C" {

__attribute__((visibility("hidden"))) int omp_is_initial_device();
__attribute__((visibility("hidden"))) int omp_get_device_num();
__attribute__((visibility("hidden"))) int omp_get_initial_device();
__attribute__((visibility("hidden"))) int omp_get_num_devices();

__attribute__((visibility("hidden"))) int omp_is_initial_device_() {
  return omp_is_initial_device();
}

__attribute__((visibility("hidden"))) int omp_get_device_num_() {
  return omp_get_device_num();
}

__attribute__((visibility("hidden"))) int omp_get_initial_device_() {
  return omp_get_initial_device();
}

__attribute__((visibility("hidden"))) int omp_get_num_devices_() {
  return omp_get_num_devices();
}

} // extern "C"
