// Special registers.
#include "simt/exec/interpreter_machine.h"

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::SpecialRegister;

std::uint64_t of_lane(SpecialRegister special, unsigned lane) {
  const std::uint64_t own = 1ULL << lane;
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
    return kAllLanes & ~(own | (own - 1));
  default:
    return kAllLanes & ~(own - 1);
  }
}

std::uint64_t of_warp(Warp& warp, const Source& source) {
  const unsigned axis = source.element < 3 ? source.element : 0;
  switch (source.special) {
  case SpecialRegister::kNtidX:
    return warp.ntid[0];
  case SpecialRegister::kNtidY:
    return warp.ntid[1];
  case SpecialRegister::kNtidZ:
    return warp.ntid[2];
  case SpecialRegister::kCtaidX:
    return warp.ctaid[0];
  case SpecialRegister::kCtaidY:
    return warp.ctaid[1];
  case SpecialRegister::kCtaidZ:
    return warp.ctaid[2];
  case SpecialRegister::kNctaidX:
    return warp.nctaid[0];
  case SpecialRegister::kNctaidY:
    return warp.nctaid[1];
  case SpecialRegister::kNctaidZ:
    return warp.nctaid[2];
  case SpecialRegister::kWarpid:
    return warp.warp_index;
  case SpecialRegister::kNwarpid:
    return kMostWarps;
  case SpecialRegister::kSmid:
    return warp.smid;
  case SpecialRegister::kNsmid:
    return warp.nsmid;
  case SpecialRegister::kGridid:
    return warp.grid_id;
  case SpecialRegister::kClock:
    return warp.services->clock(&warp) & 0xFFFF'FFFF;
  case SpecialRegister::kClockHi:
    return warp.services->clock(&warp) >> 32;
  case SpecialRegister::kClock64:
    return warp.services->clock(&warp);
  case SpecialRegister::kGlobaltimer:
    return warp.services->global_timer(&warp);
  case SpecialRegister::kGlobaltimerLo:
    return warp.services->global_timer(&warp) & 0xFFFF'FFFF;
  case SpecialRegister::kGlobaltimerHi:
    return warp.services->global_timer(&warp) >> 32;
  case SpecialRegister::kTotalSmemSize:
  case SpecialRegister::kAggrSmemSize:
    return warp.shared_size;
  case SpecialRegister::kDynamicSmemSize:
    return warp.dynamic_shared;
  case SpecialRegister::kEnvreg:
    return warp.envreg[source.value & 31];
  // Without clusters each block is one of its own.
  case SpecialRegister::kClusterid:
    return warp.ctaid[axis];
  case SpecialRegister::kNclusterid:
    return warp.nctaid[axis];
  case SpecialRegister::kClusterNctarank:
  case SpecialRegister::kClusterNctaid:
    return 1;
  case SpecialRegister::kWarpSize:
    return kLanes;
  default:
    return 0;
  }
}

} // namespace

void Machine::read_special(const Source& source, Column& column) {
  switch (source.special) {
  case SpecialRegister::kTidX:
  case SpecialRegister::kTidY:
  case SpecialRegister::kTidZ: {
    const auto axis = static_cast<unsigned>(source.special);
    std::copy(warp_->lane_tid[axis], warp_->lane_tid[axis] + kLanes, column.begin());
    break;
  }
  case SpecialRegister::kLaneid:
  case SpecialRegister::kLanemaskEq:
  case SpecialRegister::kLanemaskLe:
  case SpecialRegister::kLanemaskLt:
  case SpecialRegister::kLanemaskGe:
  case SpecialRegister::kLanemaskGt:
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      column[lane] = of_lane(source.special, lane);
    }
    break;
  default:
    column.fill(of_warp(*warp_, source));
    break;
  }
}

} // namespace gantry::simt::exec::interpreter
