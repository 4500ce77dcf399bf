// The two ranges of flat addresses that are no memory of the host.
#pragma once

#include <cstdint>

namespace gantry::simt::amdgcn {

/// Where 4 GiB of addresses stand for a work-group's LDS, and for a lane's private memory, in flat
/// addresses. No address of the host lies there.
inline constexpr std::uint64_t kSharedAperture = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kPrivateAperture = std::uint64_t{2} << 48;

} // namespace gantry::simt::amdgcn
