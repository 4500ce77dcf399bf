// Device bitcode (-foffload-lto) to machine code, by LLVM's link-time optimiser in this process.
#pragma once

#include "base/result.h"
#include "link/group.h"
#include "link/target.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// How a kind of device wants its bitcode compiled.
struct BitcodeOptions {
  std::string cpu;          ///< for functions that do not say what they are compiled for
  std::string feature = {}; ///< one beside the CPU's, such as "+ptx63"
  /// The bitcode is all that the image has, so that hidden symbols are nobody else's.
  bool whole_image = false;
  bool assembly = false; ///< else to position-independent objects
  /// Called with everything linked into one module, before it is optimised, at the level 0 to 3,
  /// and after; an error ends the compilation. Both may change the module.
  std::function<Status(llvm::Module&, unsigned level)> before = {};
  std::function<Status(llvm::Module&)> after = {};
};

struct CompiledBitcode {
  std::vector<std::string> files; ///< objects or assembly in the context's folder
  /// For each symbol that bitcode refers to or defines: the host objects it stands in.
  std::map<std::string, std::vector<std::string>> references;
};

/// Optimises and compiles the bitcode among `group`'s inputs together, at the -O level among
/// --device-compiler's values. A symbol with several strong definitions, in bitcode or machine
/// code, is an error. All of LLVM's targets must be initialised. Groups may compile at the same
/// time.
[[nodiscard]] Result<CompiledBitcode> compile_bitcode(const DeviceGroup& group,
                                                      const DeviceLinkContext& context,
                                                      const BitcodeOptions& options);

} // namespace gantry::link
