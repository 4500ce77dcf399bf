// The OpenMP routines that device code may call, but for those of locks, memory and tasks
// (OpenMP 5.2, chapter 18).
#include "device/gpu/environment.h"
#include "device/gpu/team.h"

namespace gantry::device {

extern "C" {

[[gnu::visibility("protected"), gnu::weak,
  gnu::used]] DeviceEnvironment __omp_rtl_device_environment = {};

int32_t omp_get_thread_num() {
  return static_cast<int32_t>(thread_number());
}
int32_t omp_get_num_threads() {
  return static_cast<int32_t>(thread_count());
}
int32_t omp_get_team_num() {
  return static_cast<int32_t>(machine::block_in_grid());
}
int32_t omp_get_num_teams() {
  return static_cast<int32_t>(machine::grid_size());
}
int32_t omp_get_level() {
  return static_cast<int32_t>(depth());
}
int32_t omp_get_active_level() {
  return depth() > 0 && team.size > 1 ? 1 : 0;
}
int32_t omp_in_parallel() {
  return omp_get_active_level();
}
GANTRY_ANSWER(int32_t, omp_is_initial_device, (), 0)
int32_t omp_get_device_num() {
  return static_cast<int32_t>(__omp_rtl_device_environment.device_number);
}
int32_t omp_get_num_devices() {
  return static_cast<int32_t>(__omp_rtl_device_environment.device_count);
}
double omp_get_wtime() {
  return static_cast<double>(machine::nanoseconds()) * 1e-9;
}
double omp_get_wtick() {
  return 1e-9;
}

} // extern "C"

} // namespace gantry::device
