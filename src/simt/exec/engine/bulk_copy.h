// cp.async.bulk and cp.reduce.async.bulk (PTX ISA 9.0, 9.7.9.25.4) of a lane, made at once.
#pragma once

#include "simt/exec/engine/async.h"
#include "simt/exec/warp/fault.h"

#include <optional>

namespace gantry::simt::exec {

/// Returns the fault that ends the launch, as SharedBarrier does.
[[nodiscard]] std::optional<Fault> copy_bulk(Warp& warp, const AsyncOperation& operation,
                                             const LaneWords& words, Site site);

/// st.async and red.async (9.7.9.13, 9.7.13.9).
[[nodiscard]] std::optional<Fault> store_async(Warp& warp, const AsyncOperation& operation,
                                               const LaneWords& words, Site site);

} // namespace gantry::simt::exec
