// One kernel in two engines: the same PTX, input and launch, and what each makes of it.
#pragma once

#include "kernel.h"

#include <cstdint>
#include <string>

namespace gantry::simt::fuzz {

enum class Verdict : std::uint8_t {
  kSame,    ///< both ended, with the same memory
  kFaults,  ///< both ended with the same fault: nothing to compare
  kDiffers, ///< they wrote different things, or only one ended with a fault
  kRefused, ///< it is not a kernel: the fuzzer's own mistake
  kNotHere, ///< the driver's device does not take it
};

struct Comparison {
  Verdict verdict = Verdict::kSame;
  unsigned instructions = 0; ///< of the module
  std::string report;        ///< several lines; empty if they agree
};

/// Interpreted against compiled or, if there is a `driver` (a libcuda.so.1), against its first
/// device. `stage` is told which engine runs.
[[nodiscard]] Comparison compare(const Kernel& kernel, const std::string& driver,
                                 void (*stage)(const char*));

} // namespace gantry::simt::fuzz
