#include "link/group.h"

#include "link/target.h"

#include <algorithm>

#include <llvm/TargetParser/Triple.h>

namespace gantry::link {
namespace {

std::string_view name_of(format::OffloadKind kind) {
  switch (kind) {
  case format::OffloadKind::kCuda:
    return "CUDA";
  case format::OffloadKind::kHip:
    return "HIP";
  case format::OffloadKind::kSycl:
    return "SYCL";
  case format::OffloadKind::kOpenMp:
    return "OpenMP";
  case format::OffloadKind::kNone:
    break;
  }
  return "an unknown programming model";
}

tl::unexpected<Error> unsupported(const DeviceInput& input) {
  constexpr std::string_view kHint = "compile for a supported target, or leave such code out with "
                                     "-Wl,--skip-unsupported-images";
  if (input.offload_kind != format::OffloadKind::kOpenMp) {
    return fail("'{}' holds device code of {}; Gantry links OpenMP; {}", input.origin,
                name_of(input.offload_kind), kHint);
  }
  return fail("'{}' holds device code for '{}', which Gantry has no target for; it has {}; {}",
              input.origin, input.triple, supported_targets(), kHint);
}

/// True if the object has given the group its code under another spelling of the triple:
/// -fopenmp-targets=x86_64-pc-linux-gnu,x86_64-unknown-linux-gnu compiles everything twice. (Two
/// images of the same spelling are two objects that `ld -r` has joined.)
bool is_same_code_again(const DeviceGroup& group, const DeviceInput& input) {
  return std::ranges::any_of(group.inputs, [&](const DeviceInput* other) {
    return other->entries == input.entries && other->triple != input.triple;
  });
}

} // namespace

std::string DeviceGroup::name() const {
  return arch.empty() ? triple : fmt::format("{} {}", triple, arch);
}

Result<std::vector<DeviceGroup>> group_by_target(const DeviceCode& code, bool skip_unsupported) {
  std::vector<DeviceGroup> groups;
  for (const DeviceInput& input : code.inputs) {
    const Target* target =
        input.offload_kind == format::OffloadKind::kOpenMp ? find_target(input.triple) : nullptr;
    if (target == nullptr) {
      if (skip_unsupported) {
        continue;
      }
      return unsupported(input);
    }
    // Clang 19 leaves the baseline's name empty, Clang 22 calls it generic.
    const std::string arch = input.arch == "generic" ? "" : input.arch;
    auto group = std::ranges::find_if(groups, [&](const DeviceGroup& candidate) {
      return candidate.target == target && candidate.arch == arch;
    });
    if (group == groups.end()) {
      groups.push_back({.target = target, .triple = input.triple, .arch = arch, .inputs = {}});
      group = std::prev(groups.end());
    }
    if (!is_same_code_again(*group, input)) {
      group->inputs.push_back(&input);
    }
  }
  return groups;
}

} // namespace gantry::link
