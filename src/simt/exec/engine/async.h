// What lanes do to barriers in shared memory, for both engines (warp/async_operation.h). Words are
// as Services has them: 32 a lane's argument. Called on the warp's own stack; ends the launch where
// something is wrong.
#pragma once

#include "simt/exec/blocks/block.h"
#include "simt/exec/warp/async_operation.h"
#include "simt/exec/warp/warp.h"

#include <cstdint>

namespace gantry::simt::exec {

/// What a lane gives.
class LaneWords {
public:
  LaneWords(const std::uint64_t* arguments, unsigned lane) : arguments_(arguments), lane_(lane) {}
  [[nodiscard]] std::uint64_t operator[](unsigned index) const {
    return arguments_[index * kLanes + lane_];
  }
  [[nodiscard]] unsigned lane() const { return lane_; }

private:
  const std::uint64_t* arguments_;
  unsigned lane_;
};

void start_async(Warp& warp, LaneMask active, AsyncOperation operation,
                 const std::uint64_t* arguments, std::uint64_t* results, Site site);

/// AsyncAction::kWait as it is now. Returns the lanes whose phase is over.
LaneMask test_async(Warp& warp, LaneMask active, AsyncOperation operation,
                    const std::uint64_t* arguments, std::uint64_t* results, Site site);
/// AsyncAction::kClusterWait: whether the lanes may go on.
[[nodiscard]] bool wait_in_cluster(Warp& warp, LaneMask active, Site site);
[[nodiscard]] Waiting waiting_for_cluster(const Warp& warp, LaneMask active, Site site);
/// Of lanes whose phase is not: for the barrier if they do nothing else, or else they merely yield.
[[nodiscard]] Waiting waiting_for_async(LaneMask active, AsyncOperation operation,
                                        const std::uint64_t* arguments, Site site);

} // namespace gantry::simt::exec
