// Extracting: the device images inside the host program's objects, and the offload entries that
// will look for them at run time.
#pragma once

#include "base/result.h"
#include "format/entry_layout.h"
#include "format/offload_binary.h"
#include "link/registration.h"
#include "link/scan.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace gantry::link {

/// One device image as a compiler wrote it: an object or bitcode.
struct DeviceInput {
  std::string origin; ///< the host object it comes from, as a user knows it
  std::string triple = {};
  std::string arch = {};
  format::OffloadKind offload_kind = format::OffloadKind::kOpenMp;
  Bytes contents = {};
  Bytes host_object = {}; ///< the host's half
  /// The names of the host object's entries, for each of which its images have a symbol. Shared by
  /// the images of one object.
  std::shared_ptr<const std::vector<std::string>> entries = {};
};

/// An object with pairs of GCC's design of 2013 (link/openmp_target.h).
struct PairedObject {
  std::string origin;
  Bytes contents;
  std::size_t pair_count = 0;
  Bytes ptx = {}; ///< its code for NVIDIA's devices, if it has some
};

struct DeviceCode {
  std::vector<DeviceInput> inputs;
  std::vector<PairedObject> paired;
  EntryTables tables;
  std::deque<std::vector<std::byte>> storage; ///< bytes of inputs that lie in no file
};

/// True if an image has a symbol of the name of each entry of that role.
[[nodiscard]] bool has_device_symbol(format::EntryRole role);

/// The device code of `objects`, whose contents must outlive the result. An object with entries but
/// no image is an error: its kernels could never be found.
[[nodiscard]] Result<DeviceCode> extract_device_code(const std::vector<HostObject>& objects);

} // namespace gantry::link
