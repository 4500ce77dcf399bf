// The target task of libomp's that a construct with nowait, or a routine that ends in _async, runs
// in (OpenMP 5.2, section 13.8), and what it leaves to itself: once something is stored in the
// task's handle, libomp asks __tgt_target_nowait_query, on any thread and one at a time, until the
// handle is null again. The task is not complete before.
#pragma once

#include "runtime/abi/openmp/process_end.h"
#include "runtime/core/runtime/spreading.h"

#include <chrono>
#include <cstdint>
#include <memory>

namespace gantry::abi::openmp {

/// What a target task has begun on a device with queues, and does not wait for. The task is
/// complete when try_end() has said that it has ended.
class UnderWay : public core::LeftToItself {
public:
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

protected:
  UnderWay() = default;
  ~UnderWay() = default;

private:
  friend void leave(void** handle, std::shared_ptr<UnderWay> begun);
  friend void ask(void** handle);

  /// How long a thread sleeps that has nothing to do but to ask.
  std::chrono::nanoseconds next_pause();

  const RegionUse use_{RegionUse::Task::kTarget};
  int fruitless_queries_ = 0;
  std::uint64_t asked_ = 0;        ///< when it was for the first time
  std::shared_ptr<UnderWay> self_; ///< until the task is complete
};

/// Where libomp keeps the handle of the target task that this thread runs. Null if the task has to
/// be done when what it runs returns. To be asked for only by a caller that leaves something there.
void** handle_of_current_target_task();

/// Leaves what the task has begun to itself.
void leave(void** handle, std::shared_ptr<UnderWay> begun);

/// What libomp asks.
void ask(void** handle);

} // namespace gantry::abi::openmp
