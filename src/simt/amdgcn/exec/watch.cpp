#include "simt/amdgcn/exec/watch.h"

#include "simt/amdgcn/checks/group_checks.h"
#include "simt/amdgcn/exec/code_map.h"
#include "simt/amdgcn/exec/launch.h"
#include "simt/amdgcn/exec/report.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gantry::simt::amdgcn {

namespace {

/// A kernel, and the code that it lies in.
class KernelInCode : public RacingKernel {
public:
  explicit KernelInCode(const Launch& launch)
      : name_(launch.kernel), code_(launch.code->shared_from_this()) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string source(std::uint32_t site) const override {
    const u64 address = address_of(site);
    const auto line = code_->source_line(address);
    return line && *line ? source_text(**line) : code_->position(address);
  }
  [[nodiscard]] std::string position(std::uint32_t site) const override {
    if (!code_->contains(address_of(site))) {
      return "elsewhere in the kernel";
    }
    const std::string text = code_->text_at(address_of(site));
    return source(site) + (text.empty() ? "" : ": ") + text;
  }

  /// Whether it is of libgomp, or of the C library that GCC's code has, newlib: of its allocator's
  /// lock, and of the functions that share errno.
  [[nodiscard]] bool is_of_runtime(std::uint32_t site) const {
    const std::string position = code_->position(address_of(site));
    const std::string_view function = std::string_view(position).substr(0, position.find('+'));
    return std::ranges::any_of(
               std::array<std::string_view, 4>{"gomp_", "GOMP_", "omp_", "__malloc_"},
               [&](std::string_view prefix) { return function.starts_with(prefix); }) ||
           (function.starts_with('_') && !function.starts_with("_Z") && function.ends_with("_r"));
  }

private:
  [[nodiscard]] u64 address_of(std::uint32_t site) const { return code_->begin() + u64{site} * 4; }

  std::string name_;
  std::shared_ptr<const LoadedCode::State> code_;
};

/// The number of an instruction in its code.
std::uint32_t site_of(const Wave& wave, const Instruction& instruction) {
  return static_cast<std::uint32_t>(std::min<u64>(
      Cell::kLastSite, (wave.code->address_of(&instruction) - wave.code->begin()) / 4));
}

bool check(Wave& wave, const Instruction& instruction, const WaveAccess& access) {
  const auto found = access.active == 0 ? std::nullopt : wave.place->checks->access(access);
  if (!found) {
    return true;
  }
  report_finding(wave, instruction, access, *found);
  return false;
}

} // namespace

std::unique_ptr<DispatchChecks> checks_of(const Launch& launch) {
  const Checks& checks = settings().checks;
  if (!checks.race && !checks.init) {
    return nullptr;
  }
  GridShape shape;
  std::copy_n(launch.groups, 3, shape.blocks.begin());
  std::copy_n(launch.group, 3, shape.threads.begin());
  const auto kernel = std::make_shared<const KernelInCode>(launch);
  shape.kernel = kernel;
  return std::make_unique<DispatchChecks>(checks, std::move(shape), [kernel](std::uint32_t site) {
    return kernel->is_of_runtime(site);
  });
}

bool check_accesses(Wave& wave, const Instruction& instruction, Space space, LaneMask active,
                    const u64* addresses, u32 size, AccessKind kind) {
  if (space == Space::kPrivate) { // a stack's, by instructions that know no other memory
    return true;
  }
  const AccessibleRanges::Range own = wave.place->private_memory;
  u64 places[kLanes];
  WaveAccess access;
  access.kind = kind == AccessKind::kAtomic  ? WaveAccess::Kind::kAtomic
                : kind == AccessKind::kStore ? WaveAccess::Kind::kStore
                : instruction.returns        ? WaveAccess::Kind::kCoherentLoad
                                             : WaveAccess::Kind::kLoad;
  access.wave = wave.number;
  access.addresses = places;
  access.size = size;
  access.site = site_of(wave, instruction);
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::byte* const place =
        place_of(wave, instruction, space, lane, addresses[lane], size, kind);
    if (place != nullptr) {
      places[lane] = std::bit_cast<u64>(place);
      access.active |= LaneMask{1} << lane;
      if (places[lane] - own.first < own.size) {
        access.own |= LaneMask{1} << lane;
      }
    }
  }
  return check(wave, instruction, access);
}

bool check_scalar_load(Wave& wave, const Instruction& instruction, u64 address, u32 size) {
  WaveAccess access;
  access.wave = wave.number;
  access.active = 1;
  access.addresses = &address;
  access.size = size;
  access.site = site_of(wave, instruction);
  return check(wave, instruction, access);
}

} // namespace gantry::simt::amdgcn
