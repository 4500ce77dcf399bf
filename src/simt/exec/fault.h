// What can go wrong while a kernel runs, and how it is told.
#pragma once

#include <cstdint>
#include <string>

namespace gantry::simt::exec {

/// Why a launch ended early; the numbers are CUDA's error codes for it.
enum class FaultCode : int {
  kIllegalAddress = 700,
  kOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
};

/// A launch that failed. `report` is what GANTRY_SIMT prints to standard error: several lines that
/// name the kernel, the source position, the block and thread, and for an access the address and
/// what is there.
struct Fault {
  FaultCode code = FaultCode::kLaunchFailed;
  std::string report;
};

} // namespace gantry::simt::exec
