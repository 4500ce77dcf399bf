// Leaves the chunks of distribute loops to the device runtime where Clang has chosen them.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Without a dist_schedule clause, Clang divides the distribute part of `distribute parallel for`
/// in SPMD kernels into chunks of the block's size: every thread gets one iteration of a chunk, and
/// each chunk costs a parallel region with its barrier. Says in such loops that the runtime may
/// choose (GANTRY_DISTRIBUTE_OPEN in gantry/gpu_image.h).
///
/// A clause that names the block's size looks the same, and is not to be told apart by what the
/// program does unless that asks for the number of its team: such loops stay as they are. In the
/// program without the runtime.
void open_distribute_loops(llvm::Module& module);

} // namespace gantry::link
