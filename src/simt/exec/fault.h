// What can go wrong while a kernel runs, and how it is told.
#pragma once

#include <cstdint>
#include <string>

namespace gantry::simt::exec {

/// Why a launch ended early; the numbers are CUDA's error codes for it.
enum class FaultCode : int {
  kDeinitialized = 4, ///< the process ends, and code that has not been made cannot be any more
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

/// What a runtime may want to put into its own words, of the first thread that did it.
struct FaultFacts {
  enum class Access : std::uint8_t { kNone, kRead, kWrite, kCall };
  std::string kernel;   ///< its name
  std::string position; ///< "sum.cu:12" or "near sum.cu:12"; empty if the PTX does not say
  std::string what;     ///< the report's headline: "race in global memory: store of 4 bytes at …"
  Access access =
      Access::kNone;         ///< of what is at `address`; kNone if the fault is about no address
  std::uint64_t address = 0; ///< a generic one
  bool is_invalid = false;   ///< the access itself is the fault
};

/// A launch that failed. `report` is what GANTRY_SIMT prints to standard error: several lines that
/// name the kernel, the source position, the block and thread, and for an access the address and
/// what is there.
struct Fault {
  FaultCode code = FaultCode::kLaunchFailed;
  std::string report;
  FaultFacts facts = {};
};

} // namespace gantry::simt::exec
