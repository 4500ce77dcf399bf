// What single threads keep beside the team's state: control variables that they have changed, and
// loops of theirs that nobody shares. Few threads ever have any.
#pragma once

#include "device/gpu/team.h"

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

/// How many threads of the block have a state. Others come and go meanwhile; whether the calling
/// thread has one does not change by that.
extern GANTRY_IN_SHARED uint32_t thread_states;
/// False where no code of the program makes one.
extern "C" bool __gantry_may_have_thread_states();
[[nodiscard]] inline bool some_thread_has_state() {
  return __gantry_may_have_thread_states() &&
         __atomic_load_n(machine::generic(&thread_states), __ATOMIC_RELAXED) != 0;
}

/// The calling thread's; null if it has none.
[[nodiscard]] ThreadState* find_thread_state();
/// The calling thread's, made if it has none.
extern "C" ThreadState* __gantry_make_thread_state();
[[nodiscard]] inline ThreadState& thread_state() {
  ThreadState* const state = find_thread_state();
  return state != nullptr ? *state : *__gantry_make_thread_state();
}
/// By one thread when a kernel begins.
void start_thread_states();
/// Frees the calling thread's if there is nothing in it any more.
void drop_thread_state();
/// Before the thread leaves its team: frees everything.
void free_thread_state();
inline void end_thread_state() {
  if (some_thread_has_state()) {
    free_thread_state();
  }
}

/// The data environment's control variables, if they may differ from the team's.
[[nodiscard]] Icvs changed_icvs();
[[nodiscard]] inline Icvs current_icvs() {
  return some_thread_has_state() ? changed_icvs() : team.icvs;
}
/// The same, to be changed for this data environment.
[[nodiscard]] Icvs& icvs_to_change();
/// Forgets what was changed in the data environment that ends, which is the innermost.
void leave_changed_environment();
inline void leave_environment() {
  if (some_thread_has_state()) {
    leave_changed_environment();
  }
}

} // namespace gantry::device
