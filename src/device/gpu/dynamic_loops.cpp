// Loops whose threads take chunks dynamically: schedule(dynamic), guided, runtime, and loops with
// an ordered clause (OpenMP 5.2, sections 11.5 and 15.10.2).
//
// A team executes one such loop at a time: its threads synchronise before one begins. Iterations
// count from 0 here. In a region of one thread the whole loop is one chunk.
#include "device/gpu/heap.h"
#include "device/gpu/loops.h"
#include "device/gpu/messages.h"
#include "device/gpu/team.h"
#include "device/gpu/thread_state.h"

namespace gantry::device {
namespace {

/// Each thread's progress in a loop.
struct Progress {
  uint64_t chunks;    ///< static: taken so far
  uint64_t iteration; ///< ordered: the one under way, or kNone
};
constexpr uint64_t kNone = ~uint64_t{0};

struct TeamLoop {
  uint64_t lower;
  uint64_t last; ///< iteration
  int64_t increment;
  uint64_t chunk;
  int32_t kind;
  bool empty;
  bool ordered;
  uint64_t next;      ///< dynamic, guided: the first iteration that is not taken
  uint64_t turn;      ///< ordered: the iteration that may enter the region
  uint32_t left;      ///< threads that have left the loop
  Progress* progress; ///< of each thread, where the kind needs it
};

GANTRY_SHARED TeamLoop loop;

struct Request {
  int32_t kind;
  bool ordered;
  uint64_t chunk; ///< 0: none given
};

// To static, dynamic and guided.
Request plain(int32_t schedule, int64_t chunk) {
  int32_t kind = schedule & kScheduleMask;
  const bool ordered = kind >= kOrderedStaticChunked && kind <= kOrderedAuto;
  if (ordered) {
    kind -= kOrderedStaticChunked - kStaticChunked;
  }
  if (kind == kRuntime) {
    const Icvs icvs = current_icvs();
    kind = icvs.schedule & kScheduleMask;
    chunk = icvs.chunk;
  }
  const bool has_chunk = chunk > 0;
  switch (kind) {
  case kStaticChunked:
  case kStaticBalancedChunked:
    return {has_chunk ? kStaticChunked : kStatic, ordered,
            has_chunk ? static_cast<uint64_t>(chunk) : 0};
  case kDynamic:
  case kGuided:
    return {kind, ordered, has_chunk ? static_cast<uint64_t>(chunk) : 1};
  default:
    return {kStatic, ordered, 0};
  }
}

void begin_team_loop(const Request& request, uint64_t lower, uint64_t last, bool empty,
                     int64_t increment) {
  loop.lower = lower;
  loop.last = last;
  loop.increment = increment;
  loop.kind = request.kind;
  loop.empty = empty;
  loop.ordered = request.ordered;
  loop.chunk = request.kind == kStatic ? last / team.size + 1 : request.chunk;
  loop.next = 0;
  loop.turn = 0;
  loop.left = 0;
  loop.progress = nullptr;
  if (request.ordered || request.kind == kStatic || request.kind == kStaticChunked) {
    auto* const progress = static_cast<Progress*>(allocate(team.size * sizeof(Progress)));
    for (uint32_t i = 0; i < team.size; ++i) {
      progress[i] = {0, kNone};
    }
    loop.progress = progress;
  }
}

struct Chunk {
  uint64_t first, length; ///< no length: there are no more
};

GANTRY_NOINLINE Chunk take_guided() {
  uint64_t first = __atomic_load_n(&loop.next, __ATOMIC_RELAXED);
  for (;;) {
    if (first > loop.last) {
      return {0, 0};
    }
    const uint64_t share = (loop.last - first) / (2 * uint64_t{team.size}) + 1;
    const uint64_t length = share > loop.chunk ? share : loop.chunk;
    if (__atomic_compare_exchange_n(&loop.next, &first, first + length, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return {first, length};
    }
  }
}

Chunk take_chunk() {
  if (loop.empty) {
    return {0, 0};
  }
  const uint64_t chunk = loop.chunk;
  switch (loop.kind) {
  case kDynamic: {
    // Keeps the counter from wrapping around once the iterations are used up.
    if (__atomic_load_n(&loop.next, __ATOMIC_RELAXED) > loop.last) {
      return {0, 0};
    }
    const uint64_t first = __atomic_fetch_add(&loop.next, chunk, __ATOMIC_RELAXED);
    return {first, first > loop.last ? 0 : chunk};
  }
  case kGuided:
    return take_guided();
  default: {
    const uint32_t thread = thread_number();
    const uint64_t index = thread + loop.progress[thread].chunks++ * team.size;
    return {index * chunk, index > loop.last / chunk ? 0 : chunk};
  }
  }
}

template <typename Number>
GANTRY_NOINLINE void begin(int32_t schedule, Number lower, Number upper, int64_t increment,
                           int64_t chunk) {
  const bool empty = increment > 0 ? upper < lower : lower < upper;
  const auto from = static_cast<uint64_t>(lower);
  const auto to = static_cast<uint64_t>(upper);
  const auto step = static_cast<uint64_t>(increment);
  const uint64_t last = empty ? 0 : increment > 0 ? (to - from) / step : (from - to) / (0 - step);
  if (!in_active_region()) {
    ThreadState& state = thread_state();
    auto* const serial = static_cast<SerialLoop*>(allocate(sizeof(SerialLoop)));
    *serial = {from, from + last * step, increment, empty, state.loops};
    state.loops = serial;
    return;
  }
  sync_team();
  if (thread_number() == 0) {
    begin_team_loop(plain(schedule, chunk), from, last, empty, increment);
  }
  sync_team();
}

template <typename Number, typename Signed>
GANTRY_NOINLINE int32_t next_chunk(int32_t* is_last, Number* lower, Number* upper, Signed* stride) {
  if (!in_active_region()) {
    SerialLoop& serial = *find_thread_state()->loops;
    if (serial.done) {
      return 0;
    }
    serial.done = true;
    *lower = static_cast<Number>(serial.lower);
    *upper = static_cast<Number>(serial.upper);
    *stride = static_cast<Signed>(serial.increment);
    if (is_last != nullptr) {
      *is_last = 1;
    }
    return 1;
  }
  const Chunk chunk = take_chunk();
  if (loop.ordered) {
    loop.progress[thread_number()].iteration = chunk.length == 0 ? kNone : chunk.first;
  }
  if (chunk.length == 0) {
    return 0;
  }
  const bool last = loop.last - chunk.first < chunk.length;
  const uint64_t end = last ? loop.last : chunk.first + chunk.length - 1;
  const auto step = static_cast<uint64_t>(loop.increment);
  *lower = static_cast<Number>(loop.lower + chunk.first * step);
  *upper = static_cast<Number>(loop.lower + end * step);
  *stride = static_cast<Signed>(loop.increment);
  if (is_last != nullptr) {
    *is_last = last ? 1 : 0;
  }
  return 1;
}

GANTRY_NOINLINE void end_loop() {
  if (!in_active_region()) {
    ThreadState& state = *find_thread_state();
    SerialLoop* const serial = state.loops;
    state.loops = serial->outer;
    free(serial);
    drop_thread_state();
    return;
  }
  if (loop.progress == nullptr) {
    return;
  }
  machine::fence_device(); // what others have done there is done before it is given back
  if (__atomic_add_fetch(&loop.left, 1U, __ATOMIC_RELAXED) == team.size) {
    machine::fence_device();
    free(loop.progress);
  }
}

/// Whether a lane of the calling one's warp executes the iteration whose turn it is.
bool is_turn_of_this_warp(uint64_t turn) {
  const uint32_t first = machine::thread_in_block() - machine::lane();
  for (uint32_t i = first; i < team.size && i < first + machine::warp_size(); ++i) {
    if (__atomic_load_n(&loop.progress[i].iteration, __ATOMIC_RELAXED) == turn) {
      return true;
    }
  }
  return false;
}

/// Waits until all earlier iterations have left their ordered regions.
GANTRY_NOINLINE void wait_for_turn() {
  const uint64_t mine = loop.progress[thread_number()].iteration;
  for (;;) {
    const uint64_t turn = __atomic_load_n(&loop.turn, __ATOMIC_RELAXED);
    if (turn == mine) {
      break;
    }
    if (machine::kLockstep && is_turn_of_this_warp(turn)) {
      fail_in_lockstep("an ordered region");
    }
    machine::pause(20);
  }
  machine::fence_device();
}

GANTRY_NOINLINE void end_iteration() {
  if (!in_active_region() || !loop.ordered) {
    return;
  }
  wait_for_turn();
  const uint64_t mine = loop.progress[thread_number()].iteration++;
  machine::fence_device();
  __atomic_store_n(&loop.turn, mine + 1, __ATOMIC_RELAXED);
}

} // namespace

#define GANTRY_DYNAMIC_LOOP(suffix, Number, Signed)                                                \
  void __kmpc_dispatch_init_##suffix(Ident*, int32_t, int32_t schedule, Number lower,              \
                                     Number upper, Signed increment, Signed chunk) {               \
    begin<Number>(schedule, lower, upper, increment, chunk);                                       \
  }                                                                                                \
  int32_t __kmpc_dispatch_next_##suffix(Ident*, int32_t, int32_t* last, Number* lower,             \
                                        Number* upper, Signed* stride) {                           \
    return next_chunk<Number, Signed>(last, lower, upper, stride);                                 \
  }                                                                                                \
  void __kmpc_dispatch_fini_##suffix(Ident*, int32_t) {                                            \
    end_iteration();                                                                               \
  }

extern "C" {

GANTRY_DYNAMIC_LOOP(4, int32_t, int32_t)
GANTRY_DYNAMIC_LOOP(4u, uint32_t, int32_t)
GANTRY_DYNAMIC_LOOP(8, int64_t, int64_t)
GANTRY_DYNAMIC_LOOP(8u, uint64_t, int64_t)

void __kmpc_dispatch_deinit(Ident*, int32_t) {
  end_loop();
}

void __kmpc_ordered(Ident*, int32_t) {
  if (in_active_region() && loop.ordered) {
    wait_for_turn();
  }
}
void __kmpc_end_ordered(Ident*, int32_t) {
  machine::fence_device();
}

} // extern "C"

} // namespace gantry::device
