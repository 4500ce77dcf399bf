// Does not include gantry/cuda_driver.h: only addresses are wanted here, and the functions are
// declared without their parameters. A name that nobody defines is an error when the library is
// linked.
#include "simt/driver/export_table.h"

#include <algorithm>

#define GANTRY_CUDA_EXPORT(name, version, exported) extern "C" void exported();
#define GANTRY_CUDA_PER_THREAD_EXPORT GANTRY_CUDA_EXPORT
#include "simt/driver/entry_points.def"

namespace gantry::simt::driver {

namespace {

/// The first version with functions for the calling thread's default stream.
constexpr int kPerThreadStreams = 7000;

constexpr Export kExports[] = {
#define GANTRY_CUDA_EXPORT(name, version, exported) {#name, version, exported},
#include "simt/driver/entry_points.def"
};
constexpr Export kPerThreadExports[] = {
#define GANTRY_CUDA_PER_THREAD_EXPORT(name, version, exported)                                     \
  {#name, std::max(version, kPerThreadStreams), exported},
#include "simt/driver/entry_points.def"
};

} // namespace

std::span<const Export> exports() {
  return kExports;
}
std::span<const Export> per_thread_exports() {
  return kPerThreadExports;
}

} // namespace gantry::simt::driver
