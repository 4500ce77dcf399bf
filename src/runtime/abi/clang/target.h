// The target construct as Clang calls it, behind its entry points.
#pragma once

#include "runtime/abi/clang/layouts.h"

#include <cstdint>

namespace gantry::abi::clang {

/// Executes a target construct; `caller` is where its entry point returns to. 0, or 1 if compiled
/// code is to run the host's version of the region.
int run_target(const Ident* location, std::int64_t device_number, std::int32_t num_teams,
               std::int32_t thread_limit, const void* host_address,
               const KernelArguments* arguments, const void* caller);

} // namespace gantry::abi::clang
