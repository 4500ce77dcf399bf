// What ended a device, where the driver can tell: the PTX executor.
#include "plugins/cuda/device.h"
#include "plugins/cuda/entries.h"
#include "plugins/gpu/simt_fault.h"

#include <optional>

namespace gantry::cuda {

namespace {

std::optional<gantry_simt_fault> fault_of(const Device& device) {
  gantry_simt_fault fault = {};
  if (driver().get_fault == nullptr || enter(device) != GANTRY_SUCCESS ||
      driver().get_fault(&fault) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  return fault;
}

} // namespace

gantry_status entries::get_fault(gantry_device* device, gantry_fault* fault) noexcept {
  const auto found = fault_of(*device);
  if (!found) {
    return report(GANTRY_NOT_FOUND, "the device is not lost, or its driver does not say why");
  }
  plugins::fill_in(fault,
                   {
                       .size = 0,
                       .kind = gpu::kind_of(*found),
                       .value = 0,
                       .access = gpu::access_of(*found),
                       .address_known = found->access != GANTRY_SIMT_FAULT_NO_ADDRESS ? 1 : 0,
                       .address = found->address,
                       .kernel = nullptr,
                       .kernel_name = found->kernel,
                       .image = nullptr,
                       .image_size = 0,
                       .code = 0,
                       .position = found->position,
                       .what = found->what,
                   });
  return GANTRY_SUCCESS;
}

} // namespace gantry::cuda
