// Works around a missing barrier in LLVM's OpenMP optimisations (OpenMPOpt, 19 to 22: SPMDization).
// No upstream issue is known; remove it when OpenMPOpt puts a barrier before guarded regions as
// well.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// SPMDization lets all threads of a team execute what is outside of parallel regions. Only thread
/// 0 executes a guarded region, which has side effects; a barrier follows the region, and none
/// precedes it. So a thread that is late may load, before the region, what thread 0 has already
/// stored in it. Puts a barrier before each guarded region, unless nothing is loaded since the last
/// barrier.
void wait_before_guarded_regions(llvm::Module& module);

} // namespace gantry::link
