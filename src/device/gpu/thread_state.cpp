#include "device/gpu/thread_state.h"

#include "device/gpu/heap.h"
#include "device/gpu/locks.h"

namespace gantry::device {
GANTRY_SHARED uint32_t thread_states;

namespace {

constexpr uint32_t kBits = 32;

/// The block's states by thread. The table is there while some thread has a state, and a thread
/// looks into it only if it has one itself: a bit of its own says so.
using StateTable = ThreadState**;
GANTRY_SHARED StateTable table;
GANTRY_SHARED uint32_t have_state[machine::kMaxBlockSize / kBits];
GANTRY_SHARED uint32_t lock_word;

uint32_t& word_of(uint32_t thread) {
  return *machine::generic(&have_state[thread / kBits]);
}
uint32_t bit_of(uint32_t thread) {
  return 1U << thread % kBits;
}

/// How many data environments a thread is in: regions and tasks.
uint32_t environment() {
  const ThreadState* const state = find_thread_state();
  return stored_depth() + (state == nullptr ? 0 : state->tasks);
}

} // namespace

void start_thread_states() {
  if (!__gantry_may_have_thread_states()) {
    return;
  }
  thread_states = 0;
  table = nullptr;
  for (uint32_t i = 0; i < machine::kMaxBlockSize / kBits; ++i) {
    have_state[i] = 0;
  }
  lock_word = 0;
}

ThreadState* find_thread_state() {
  const uint32_t thread = machine::thread_in_block();
  const bool mine = some_thread_has_state() &&
                    (__atomic_load_n(&word_of(thread), __ATOMIC_RELAXED) & bit_of(thread)) != 0;
  return mine ? table[thread] : nullptr;
}

extern "C" GANTRY_NOINLINE ThreadState* __gantry_make_thread_state() {
  auto* const made = static_cast<ThreadState*>(allocate(sizeof(ThreadState)));
  *made = {};
  machine::one_by_one([&] {
    lock(*machine::generic(&lock_word));
    if (table == nullptr) {
      table = static_cast<StateTable>(allocate(machine::block_size() * sizeof(ThreadState*)));
    }
    const uint32_t thread = machine::thread_in_block();
    table[thread] = made;
    __atomic_fetch_or(&word_of(thread), bit_of(thread), __ATOMIC_RELAXED);
    __atomic_fetch_add(machine::generic(&thread_states), 1U, __ATOMIC_RELAXED);
    unlock(*machine::generic(&lock_word));
  });
  return made;
}

GANTRY_NOINLINE void drop_thread_state() {
  ThreadState* const state = find_thread_state();
  if (state == nullptr || state->icvs != nullptr || state->loops != nullptr ||
      state->groups != nullptr || state->tasks != 0) {
    return;
  }
  free(state);
  machine::one_by_one([] {
    lock(*machine::generic(&lock_word));
    const uint32_t thread = machine::thread_in_block();
    __atomic_fetch_and(&word_of(thread), ~bit_of(thread), __ATOMIC_RELAXED);
    if (__atomic_fetch_sub(machine::generic(&thread_states), 1U, __ATOMIC_RELAXED) == 1) {
      free(table);
      table = nullptr;
    }
    unlock(*machine::generic(&lock_word));
  });
}

GANTRY_NOINLINE void free_thread_state() {
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

GANTRY_NOINLINE Icvs changed_icvs() {
  const ThreadState* const state = find_thread_state();
  return state == nullptr || state->icvs == nullptr ? team.icvs : state->icvs->icvs;
}

GANTRY_NOINLINE Icvs& icvs_to_change() {
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

GANTRY_NOINLINE void leave_changed_environment() {
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
