#include "link/target.h"

#include "base/foreign_cpu.h"
#include "link/amdgcn_target.h"
#include "link/cpu_target.h"
#include "link/nvptx_target.h"

#include <algorithm>
#include <array>

#include <llvm/TargetParser/Triple.h>

namespace gantry::link {
namespace {

/// A CPU under Linux with Debian's C library, or with no system named: -fopenmp-targets=x86_64
/// means the host's. Code for another C library would meet the host's in the same process.
template <llvm::Triple::ArchType kCpu>
bool is_cpu(const llvm::Triple& triple) {
  return triple.getArch() == kCpu &&
         (triple.isOSLinux() || triple.getOS() == llvm::Triple::UnknownOS) && !triple.isMusl() &&
         !triple.isAndroid();
}

constexpr auto kTargets = std::to_array<Target>({
    {
        .triple = "x86_64-pc-linux-gnu",
        .matches = is_cpu<llvm::Triple::x86_64>,
        .joins_architectures = true,
        .baseline_cpu = "x86-64",
        .link = link_for_cpu,
    },
    {
        .triple = "aarch64-linux-gnu",
        .matches = is_cpu<llvm::Triple::aarch64>,
        .joins_architectures = true,
        .baseline_cpu = "generic",
        .link = link_for_cpu,
        .foreign = find_foreign_cpu("aarch64"),
    },
    {
        .triple = "powerpc64le-linux-gnu",
        .matches = is_cpu<llvm::Triple::ppc64le>,
        .joins_architectures = true,
        .baseline_cpu = "ppc64le",
        .link = link_for_cpu,
        .foreign = find_foreign_cpu("powerpc64le"),
    },
    {
        .triple = "nvptx64-nvidia-cuda",
        .matches =
            [](const llvm::Triple& triple) { return triple.getArch() == llvm::Triple::nvptx64; },
        .joins_architectures = false,
        .baseline_cpu = "",
        .link = link_for_nvptx,
    },
    {
        .triple = "amdgcn-amd-amdhsa",
        .matches =
            [](const llvm::Triple& triple) {
              return triple.isAMDGCN() && triple.getOS() == llvm::Triple::AMDHSA;
            },
        .joins_architectures = false,
        .baseline_cpu = "",
        .link = link_for_amdgcn,
    },
});

} // namespace

const Target* find_target(std::string_view triple) {
  const llvm::Triple wanted(llvm::Triple::normalize(llvm::StringRef(triple)));
  const auto* found =
      std::ranges::find_if(kTargets, [&](const Target& target) { return target.matches(wanted); });
  return found == kTargets.end() ? nullptr : &*found;
}

std::string supported_targets() {
  std::string result;
  for (const Target& target : kTargets) {
    result += fmt::format("{}'{}'", result.empty() ? "" : ", ", target.triple);
  }
  return result;
}

} // namespace gantry::link
