// Where the values of special registers (PTX ISA 9.0, 10) are, for evaluator and compiler.
#pragma once

#include "simt/exec/warp/warp.h"
#include "simt/ptx/module.h"

#include <cstddef>
#include <optional>

namespace gantry::simt::exec {

/// A member of Warp.
struct WarpMember {
  std::size_t offset = 0;
  std::size_t size = sizeof(std::uint32_t);
};

/// The member that a special register is, if it is one; `number` is that of %envreg, or of the
/// element of one that has three.
[[nodiscard]] constexpr std::optional<WarpMember> member_of(ptx::SpecialRegister special,
                                                            std::uint32_t number) {
  using ptx::SpecialRegister;
  const auto element = [&](std::size_t offset, SpecialRegister first) {
    return WarpMember{offset + sizeof(std::uint32_t) *
                                   (static_cast<unsigned>(special) - static_cast<unsigned>(first))};
  };
  const auto indexed = [&](std::size_t offset) {
    return WarpMember{offset + sizeof(std::uint32_t) * (number % 3)};
  };
  switch (special) {
  case SpecialRegister::kNtidX:
  case SpecialRegister::kNtidY:
  case SpecialRegister::kNtidZ:
    return element(offsetof(Warp, ntid), SpecialRegister::kNtidX);
  case SpecialRegister::kCtaidX:
  case SpecialRegister::kCtaidY:
  case SpecialRegister::kCtaidZ:
    return element(offsetof(Warp, ctaid), SpecialRegister::kCtaidX);
  case SpecialRegister::kNctaidX:
  case SpecialRegister::kNctaidY:
  case SpecialRegister::kNctaidZ:
    return element(offsetof(Warp, nctaid), SpecialRegister::kNctaidX);
  case SpecialRegister::kClusterid:
    return indexed(offsetof(Warp, clusterid));
  case SpecialRegister::kNclusterid:
    return indexed(offsetof(Warp, nclusterid));
  case SpecialRegister::kClusterCtaid:
    return indexed(offsetof(Warp, cluster_ctaid));
  case SpecialRegister::kClusterNctaid:
    return indexed(offsetof(Warp, cluster_nctaid));
  case SpecialRegister::kClusterCtarank:
    return WarpMember{offsetof(Warp, cluster_ctarank)};
  case SpecialRegister::kClusterNctarank:
    return WarpMember{offsetof(Warp, cluster_nctarank)};
  case SpecialRegister::kIsExplicitCluster:
    return WarpMember{offsetof(Warp, is_explicit_cluster)};
  case SpecialRegister::kWarpid:
    return WarpMember{offsetof(Warp, warp_index)};
  case SpecialRegister::kSmid:
    return WarpMember{offsetof(Warp, smid)};
  case SpecialRegister::kNsmid:
    return WarpMember{offsetof(Warp, nsmid)};
  case SpecialRegister::kGridid:
    return WarpMember{offsetof(Warp, grid_id), sizeof(std::uint64_t)};
  case SpecialRegister::kTotalSmemSize:
  case SpecialRegister::kAggrSmemSize:
    return WarpMember{offsetof(Warp, shared_size)};
  case SpecialRegister::kDynamicSmemSize:
    return WarpMember{offsetof(Warp, dynamic_shared)};
  case SpecialRegister::kEnvreg:
    return WarpMember{offsetof(Warp, envreg) + sizeof(std::uint32_t) * (number & 31)};
  default:
    return std::nullopt;
  }
}

/// What a special register is in a lane, if it follows from the lane's number.
[[nodiscard]] constexpr std::optional<std::uint32_t> value_in_lane(ptx::SpecialRegister special,
                                                                   unsigned lane) {
  using ptx::SpecialRegister;
  const std::uint32_t own = 1U << lane;
  switch (special) {
  case SpecialRegister::kLaneid:
    return lane;
  case SpecialRegister::kLanemaskEq:
    return own;
  case SpecialRegister::kLanemaskLt:
    return own - 1;
  case SpecialRegister::kLanemaskLe:
    return own | (own - 1);
  case SpecialRegister::kLanemaskGt:
    return ~(own | (own - 1));
  case SpecialRegister::kLanemaskGe:
    return ~(own - 1);
  default:
    return std::nullopt;
  }
}

} // namespace gantry::simt::exec
