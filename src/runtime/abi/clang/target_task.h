// The target task of libomp's that a region with nowait runs in.
#pragma once

namespace gantry::abi::clang {

/// Where libomp keeps the handle of the target task (OpenMP 5.2, 13.8) that this thread runs:
/// once something is stored there, libomp calls __tgt_target_nowait_query until it is null again,
/// and the task is not complete before. Null if the task has to be done when its launch returns. To
/// be asked for only by a caller that stores something. Any thread.
void** handle_of_current_target_task();

} // namespace gantry::abi::clang
