// Programs of GCC's design of 2013, whose constructs pass the address of a descriptor of all device
// code of the program (docs/gomp4-table.md).
#pragma once

#include "runtime/core/programs/program.h"

#include <mutex>

namespace gantry::abi::gcc {

/// Registers the descriptor that is a construct's third argument, at its first use. Any thread.
/// False if it is null: there is no device code, and the host is to run the construct.
[[nodiscard]] bool use_openmp_target(const void* argument);

/// The library with the descriptor goes away.
void forget_openmp_target(const void* descriptor);

/// One kind of device of a descriptor.
struct OpenmpTarget {
  const void* descriptor;
  std::size_t index; ///< among its targets
  std::mutex mutex = {};
  std::vector<std::string> names = {}; ///< of its entries, from the first use on
};

/// Reads an OpenmpTarget: see core::DecodeProgram.
[[nodiscard]] Result<core::ProgramContents> decode_openmp_target(const void* target);

} // namespace gantry::abi::gcc
