// What single threads keep beside the team's state: control variables that they have changed, and
// loops of theirs that nobody shares. Few threads ever have any.
#pragma once

#include "team.h"

namespace gantry::device {

/// Control variables of one data environment, changed since its parent's.
struct IcvFrame {
  Icvs icvs;
  uint32_t environment; ///< of which nesting
  IcvFrame* outer;
};

/// A loop of a dynamic schedule in a region of one thread.
struct SerialLoop {
  uint64_t lower, upper;
  int64_t increment;
  bool done;
  SerialLoop* outer;
};

struct TaskGroup; // tasks.cpp

struct ThreadState {
  IcvFrame* icvs;
  SerialLoop* loops;
  TaskGroup* groups;
  uint32_t tasks;       ///< nested in each other at this moment
  uint32_t final_tasks; ///< of these from the first final one on
};

/// The table of all threads' states, which exists while some thread has one.
using StateTable = ThreadState**;
extern GANTRY_IN_SHARED StateTable thread_states;

/// The calling thread's; null if it has none.
[[nodiscard]] inline ThreadState* find_thread_state() {
  return thread_states == nullptr ? nullptr : thread_states[machine::thread_in_block()];
}
/// The calling thread's, made if it has none.
[[nodiscard]] ThreadState& thread_state();
/// By one thread when a kernel begins.
void start_thread_states();
/// Frees the calling thread's if there is nothing in it any more.
void drop_thread_state();
/// Before the thread leaves its team: frees everything.
void free_thread_state();
inline void end_thread_state() {
  if (thread_states != nullptr) {
    free_thread_state();
  }
}

/// The data environment's control variables, if they may differ from the team's.
[[nodiscard]] Icvs changed_icvs();
[[nodiscard]] inline Icvs current_icvs() {
  return thread_states == nullptr ? team.icvs : changed_icvs();
}
/// The same, to be changed for this data environment.
[[nodiscard]] Icvs& icvs_to_change();
/// Forgets what was changed in the data environment that ends, which is the innermost.
void leave_changed_environment();
inline void leave_environment() {
  if (thread_states != nullptr) {
    leave_changed_environment();
  }
}

} // namespace gantry::device
