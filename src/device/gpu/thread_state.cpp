#include "thread_state.h"

#include "heap.h"
#include "locks.h"

namespace gantry::device {
GANTRY_SHARED StateTable thread_states;

namespace {

GANTRY_SHARED uint32_t states;
GANTRY_SHARED uint32_t lock_word;

/// How many data environments a thread is in: regions and tasks.
uint32_t environment() {
  const ThreadState* const state = find_thread_state();
  return depth() + (state == nullptr ? 0 : state->tasks);
}

} // namespace

void start_thread_states() {
  thread_states = nullptr;
  states = 0;
  lock_word = 0;
}

GANTRY_APART ThreadState& thread_state() {
  if (ThreadState* const state = find_thread_state()) {
    return *state;
  }
  auto* const made = static_cast<ThreadState*>(allocate(sizeof(ThreadState)));
  *made = {};
  lock(*machine::generic(&lock_word));
  if (thread_states == nullptr) {
    const uint32_t threads = machine::block_size();
    auto* const entries = static_cast<StateTable>(allocate(threads * sizeof(ThreadState*)));
    for (uint32_t i = 0; i < threads; ++i) {
      entries[i] = nullptr;
    }
    thread_states = entries;
  }
  thread_states[machine::thread_in_block()] = made;
  ++states;
  unlock(*machine::generic(&lock_word));
  return *made;
}

GANTRY_APART void drop_thread_state() {
  ThreadState* const state = find_thread_state();
  if (state == nullptr || state->icvs != nullptr || state->loops != nullptr ||
      state->groups != nullptr || state->tasks != 0) {
    return;
  }
  free(state);
  lock(*machine::generic(&lock_word));
  thread_states[machine::thread_in_block()] = nullptr;
  if (--states == 0) {
    free(thread_states);
    thread_states = nullptr;
  }
  unlock(*machine::generic(&lock_word));
}

GANTRY_APART void free_thread_state() {
  ThreadState* const state = find_thread_state();
  if (state == nullptr) {
    return;
  }
  while (state->icvs != nullptr) {
    IcvFrame* const frame = state->icvs;
    state->icvs = frame->outer;
    free(frame);
  }
  drop_thread_state();
}

GANTRY_APART Icvs changed_icvs() {
  const ThreadState* const state = find_thread_state();
  return state == nullptr || state->icvs == nullptr ? team.icvs : state->icvs->icvs;
}

GANTRY_APART Icvs& icvs_to_change() {
  if (!is_spmd() && depth() == 0) {
    return *machine::generic(&team.icvs); // the main thread's, alone
  }
  ThreadState& state = thread_state();
  const uint32_t here = environment();
  if (state.icvs == nullptr || state.icvs->environment != here) {
    auto* const frame = static_cast<IcvFrame*>(allocate(sizeof(IcvFrame)));
    frame->icvs = current_icvs();
    frame->environment = here;
    frame->outer = state.icvs;
    state.icvs = frame;
  }
  return state.icvs->icvs;
}

GANTRY_APART void leave_changed_environment() {
  ThreadState* const state = find_thread_state();
  if (state == nullptr) {
    return;
  }
  const uint32_t here = environment();
  if (state->icvs != nullptr && state->icvs->environment >= here) {
    IcvFrame* const frame = state->icvs;
    state->icvs = frame->outer;
    free(frame);
    drop_thread_state();
  }
}

} // namespace gantry::device
