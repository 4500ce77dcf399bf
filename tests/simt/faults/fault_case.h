// A row of the tables of faults: a kernel with one fault, and what is to come of it.
#pragma once

#include "../kernels/cuda.h"

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace gantry::simt::testing {

/// The kernel's argument. What it allocates lives as long as the process.
using Argument = CUdeviceptr (*)(Driver& driver);

template <std::size_t bytes, long offset>
CUdeviceptr in_buffer(Driver& driver) {
  CUdeviceptr address = 0;
  GANTRY_CUDA_CALL(driver, cuMemAlloc_v2, &address, bytes);
  return address + static_cast<CUdeviceptr>(offset);
}
template <CUdeviceptr value>
CUdeviceptr number(Driver&) {
  return value;
}

struct FaultCase {
  const char* name; ///< of the file, and of the kernel in it
  Argument argument;
  Shape shape;
  CUresult expected;
  /// What the report says; "{line}" is the number of the PTX line that has the word FAULT.
  std::vector<std::string> fragments;
  const char* check = "memory"; ///< GANTRY_SIMT_CHECK
};

/// How GoogleTest names one that fails.
inline void PrintTo(const FaultCase& fault, std::ostream* out) {
  *out << fault.name;
}

/// Of the line with the word FAULT.
inline constexpr const char* kLine = "PTX line {line}";

/// What is wrong whatever is checked for, and accesses to memory that is not there.
[[nodiscard]] const std::vector<FaultCase>& fault_cases();
/// What GANTRY_SIMT_CHECK=race, init and sync find, and what they must not find.
[[nodiscard]] const std::vector<FaultCase>& check_cases();

} // namespace gantry::simt::testing
