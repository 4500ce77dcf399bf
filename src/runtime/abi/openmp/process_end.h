// Target tasks that are not complete when exit() is called. OpenMP 5.2 leaves open what becomes of
// them; here they are not lost, and their device images do not go away under them.
#pragma once

namespace gantry::abi::openmp {

/// For constructors: from now on exit() waits for the target tasks that the initial task has
/// generated, before any image is unloaded. If it is called where others may generate or run target
/// tasks, in a parallel region or by another thread, nothing is waited for, and images_stay(). Any
/// thread; more than once is as once.
void prepare_for_exit();

/// True if the process ends and may still run regions: images are not to be unloaded then.
[[nodiscard]] bool images_stay();

} // namespace gantry::abi::openmp
