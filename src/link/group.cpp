#include "link/group.h"

#include "format/file_kind.h"
#include "link/bitcode.h"
#include "link/symbol_resolution.h"
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

/// Compiling with -S leaves the device code as text, which assembling the host's half then embeds
/// where an object should be.
Status check_kind(const DeviceInput& input) {
  const format::FileKind kind = format::identify(input.contents);
  if (kind == format::FileKind::kElfRelocatable || kind == format::FileKind::kBitcode) {
    return {};
  }
  return fail(
      "'{}' holds device code for '{}' that is neither an object nor bitcode (but: {}); "
      "compile to an object in one step (-c): an assembly file of -S holds the device's half "
      "as text",
      input.origin, input.triple, format::describe(input.contents));
}

/// The names that `input` defines for other objects, sorted; none if it cannot be read, which the
/// device link reports.
std::vector<std::string> defined_names(const DeviceInput& input) {
  std::vector<Definition> definitions;
  if (format::identify(input.contents) == format::FileKind::kBitcode) {
    if (const auto file = open_bitcode(input.contents, input.origin)) {
      definitions = bitcode_definitions(**file);
    }
  } else {
    definitions = elf_definitions(input.contents).value_or(std::vector<Definition>{});
  }
  std::vector<std::string> names;
  for (Definition& definition : definitions) {
    names.push_back(std::move(definition.name));
  }
  std::ranges::sort(names);
  return names;
}

/// True if the object has given the group its code already, compiled for another spelling of the
/// triple or another architecture: -fopenmp-targets=x86_64-pc-linux-gnu,x86_64-unknown-linux-gnu
/// compiles everything twice. An object that `ld -r` has joined of others has several images, too,
/// which define different things.
bool is_same_code_again(const DeviceGroup& group, const DeviceInput& input) {
  return std::ranges::any_of(group.inputs, [&](const DeviceInput* other) {
    if (other->entries != input.entries ||
        (other->triple == input.triple && other->arch == input.arch)) {
      return false;
    }
    const std::vector<std::string> names = defined_names(input);
    return !names.empty() && names == defined_names(*other);
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
    GANTRY_TRY(check_kind(input));
    const std::string arch = target->joins_architectures ? "" : input.arch;
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
