// The last look: does what the host linker made hold entries that no image answers to?
//
// Which members of archives the host linker takes is foreseen (link/member_selection.h), and a
// linker has more ways to find a file than anyone foresees. An entry whose device code stayed
// behind would fail when its region is first run, or, worse, run on the host without a word.
#pragma once

#include "base/result.h"
#include "link/arguments.h"
#include "link/device_code.h"
#include "link/registration.h"
#include "link/scan.h"

#include <vector>

namespace gantry::link {

/// An error that names a kernel or variable of the linked output that neither `code` nor `images`
/// define for the device, and its object where `scan` knows it. Accepts an output that is missing
/// or no ELF file.
[[nodiscard]] Status check_output(const Arguments& arguments, const Scan& scan,
                                  const DeviceCode& code, const std::vector<LinkedImage>& images);

} // namespace gantry::link
