// What Clang says of each kernel for GPUs, in a constant beside it (gantry/gpu_image.h,
// gantry_kernel_environment).
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
} // namespace llvm

namespace gantry::link {

/// The constant itself; null for functions that are no kernels.
[[nodiscard]] llvm::GlobalVariable* environment_of(const llvm::Function& function);

/// GANTRY_KERNEL_*; nothing for functions that are no kernels.
[[nodiscard]] std::optional<std::uint8_t> kernel_mode(const llvm::Function& function);

/// The largest block that Clang lets the kernel have; nothing for functions that are no kernels,
/// and for kernels without a bound.
[[nodiscard]] std::optional<std::uint64_t> max_threads(const llvm::Function& function);

/// The main thread of a generic kernel has a warp of its own beside the team's threads. Clang takes
/// thread_limit for the size of the whole block, so a team would have a warp less than its
/// construct names: raises these kernels' bounds of the block. After everything that may change a
/// kernel's mode.
void make_room_for_main_threads(llvm::Module& module, std::uint64_t warp_size);

} // namespace gantry::link
