// Grouping: device code that becomes one image.
#pragma once

#include "base/result.h"
#include "link/device_code.h"

#include <string>
#include <vector>

namespace gantry::link {

struct Target;

struct DeviceGroup {
  const Target* target = nullptr;
  std::string triple; ///< of the first input
  std::string arch;   ///< empty where one image holds the code of all architectures
  std::vector<const DeviceInput*> inputs;

  /// "x86_64-pc-linux-gnu" or "nvptx64-nvidia-cuda sm_80", for messages and file names.
  [[nodiscard]] std::string name() const;
};

/// Groups `code` by target and, where the target wants an image for each, by architecture, in the
/// order in which they first occur. An image that Gantry has no target for is an error, or left out
/// if `skip_unsupported`.
[[nodiscard]] Result<std::vector<DeviceGroup>> group_by_target(const DeviceCode& code,
                                                               bool skip_unsupported);

} // namespace gantry::link
