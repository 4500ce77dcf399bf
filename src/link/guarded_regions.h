// Parts of a kernel that one thread executes for all.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// LLVM's OpenMP optimisations let all threads of a team execute what is outside of parallel
/// regions, but for what others would notice, which thread 0 does alone: with a barrier behind it,
/// and none in front. Threads that are late would then load in front of it what is stored there
/// already. Puts the barrier in front, unless nothing is loaded since the last one.
void wait_before_guarded_regions(llvm::Module& module);

} // namespace gantry::link
