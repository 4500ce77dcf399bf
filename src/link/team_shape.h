// Whether a kernel can tell which team it is in, and of how many threads its team is.
#pragma once

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gantry::link {

/// Whether what the function does, and all that it mentions, may depend on the team's number. In
/// the program without the runtime.
[[nodiscard]] bool may_ask_for_team(const llvm::Function& start);

/// Marks the SPMD kernels whose teams may have fewer threads than the program allows
/// (KERNEL_open_team in gantry/gpu_image.h): a thread_limit clause is a bound, and nothing that the
/// kernel reaches asks how many threads there are, which one it is, or waits for another one. All
/// parallel regions are loops and nothing else, without a num_threads clause. In the program
/// without the runtime.
void mark_open_teams(llvm::Module& module);

} // namespace gantry::link
