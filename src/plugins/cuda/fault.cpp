#include "plugins/cuda/fault.h"

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

std::int32_t access_of(const gantry_simt_fault& fault) {
  switch (fault.access) {
  case GANTRY_SIMT_FAULT_WRITE:
    return GANTRY_FAULT_ACCESS_WRITE;
  case GANTRY_SIMT_FAULT_CALL:
    return GANTRY_FAULT_ACCESS_CALL;
  default:
    return GANTRY_FAULT_ACCESS_READ;
  }
}

} // namespace

bool is_lost(const Device& device) {
  return fault_of(device).has_value();
}

} // namespace gantry::cuda

using namespace gantry::cuda;

extern "C" int32_t __tgt_rtl_device_fault(int32_t device, gantry_fault* fault) noexcept {
  const auto found = fault_of(device_of(device));
  if (!found) {
    return report(GANTRY_NOT_FOUND, "the device is not lost, or its driver does not say why");
  }
  *fault = {};
  fault->kind = found->is_invalid != 0 ? GANTRY_FAULT_ACCESS : GANTRY_FAULT_DESCRIBED;
  fault->access = access_of(*found);
  fault->address_known = found->access != GANTRY_SIMT_FAULT_NO_ADDRESS ? 1 : 0;
  fault->address = found->address;
  fault->kernel_name = found->kernel;
  fault->position = found->position;
  fault->what = found->what;
  return GANTRY_SUCCESS;
}
