// The kinds of device that device code can be linked for. Adding one is adding a row to the table
// in target.cpp.
#pragma once

#include "base/result.h"
#include "link/arguments.h"
#include "link/group.h"
#include "link/registration.h"
#include "link/scan.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace gantry {
struct ForeignCpu;
} // namespace gantry

namespace llvm {
class Triple;
} // namespace llvm

namespace gantry::link {

/// What a target's link function may use. Const, and shared by groups that link at the same time.
struct DeviceLinkContext {
  const Arguments& arguments;
  const Scan& scan;
  std::filesystem::path folder; ///< for temporary files, private to one group
};

struct Target {
  std::string_view triple; ///< for messages
  bool (*matches)(const llvm::Triple& triple);
  /// True if one image holds the code of all architectures (-march), as an instruction set with
  /// extensions allows; false if each architecture needs an image of its own.
  bool joins_architectures;
  const char* baseline_cpu; ///< which LLVM compiles for where a function asks for nothing else
  /// With --dry-run shows its commands and returns an image without contents.
  Result<LinkedImage> (*link)(const DeviceGroup& group, const DeviceLinkContext& context);
  const ForeignCpu* foreign = nullptr; ///< of a CPU with another instruction set than the host's
};

/// The target for device code of `triple`, or null.
[[nodiscard]] const Target* find_target(std::string_view triple);

/// The triples of all targets, for messages: "x86_64-pc-linux-gnu".
[[nodiscard]] std::string supported_targets();

} // namespace gantry::link
