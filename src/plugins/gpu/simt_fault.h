// What the executors of GPU code tell of a fault, in the terms of plugins.
#pragma once

#include <cstdint>

#include <gantry/plugin.h>
#include <gantry/simt_fault.h>

namespace gantry::gpu {

/// GANTRY_FAULT_*: how the fault is told.
inline std::int32_t kind_of(const gantry_simt_fault& fault) {
  return fault.is_invalid != 0 ? GANTRY_FAULT_ACCESS : GANTRY_FAULT_DESCRIBED;
}

/// GANTRY_FAULT_ACCESS_*
inline std::int32_t access_of(const gantry_simt_fault& fault) {
  switch (fault.access) {
  case GANTRY_SIMT_FAULT_READ:
    return GANTRY_FAULT_ACCESS_READ;
  case GANTRY_SIMT_FAULT_WRITE:
    return GANTRY_FAULT_ACCESS_WRITE;
  case GANTRY_SIMT_FAULT_CALL:
    return GANTRY_FAULT_ACCESS_CALL;
  default:
    return GANTRY_FAULT_ACCESS_UNKNOWN;
  }
}

} // namespace gantry::gpu
