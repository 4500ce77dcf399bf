// Device bitcode (-foffload-lto) to machine code, by LLVM's link-time optimiser in this process.
#pragma once

#include "base/result.h"
#include "link/device_code.h"
#include "link/group.h"
#include "link/target.h"

#include <map>
#include <string>
#include <vector>

namespace gantry::link {

struct CompiledBitcode {
  std::vector<std::string> files; ///< objects in the context's folder
  /// For each symbol that bitcode refers to or defines: the host objects it stands in.
  std::map<std::string, std::vector<std::string>> references;
};

/// Optimises and compiles the bitcode among `group`'s inputs together, at the -O level among
/// --device-compiler's values. A symbol with several strong definitions, in bitcode or machine
/// code, is an error. All of LLVM's targets must be initialised. Groups may compile at the same
/// time.
[[nodiscard]] Result<CompiledBitcode> compile_bitcode(const DeviceGroup& group,
                                                      const DeviceLinkContext& context);

} // namespace gantry::link
