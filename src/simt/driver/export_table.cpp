// Does not include gantry/cuda_driver.h: only addresses are wanted here, and the functions are
// declared without their parameters. A name that nobody defines is an error when the library is
// linked.
#include "simt/driver/export_table.h"

#define GANTRY_CUDA_EXPORT(name, version, exported) extern "C" void exported();
#include "simt/driver/exports.def"
#include "simt/driver/exports_per_thread.def"
#undef GANTRY_CUDA_EXPORT

namespace gantry::simt::driver {

namespace {

#define GANTRY_CUDA_EXPORT(name, version, exported) {#name, version, exported},
constexpr Export kExports[] = {
#include "simt/driver/exports.def"
};
constexpr Export kPerThreadExports[] = {
#include "simt/driver/exports_per_thread.def"
};
#undef GANTRY_CUDA_EXPORT

} // namespace

std::span<const Export> exports() {
  return kExports;
}
std::span<const Export> per_thread_exports() {
  return kPerThreadExports;
}

} // namespace gantry::simt::driver
