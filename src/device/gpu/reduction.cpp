// Reductions (OpenMP 5.2, section 5.5). Clang generates how two lists of private copies combine,
// how they come from another lane, another warp or a record in global memory; here is the order in
// which that happens.
//
// `list` is an array of pointers to the calling thread's copies. After a reduction one thread's
// list has the result, and the function returns 1 in it, and 0 in the others.
#include "device/gpu/team.h"

namespace gantry::device {
namespace {

/// list = list op the list of the lane `offset` further on. `how`: 0 if all lanes have a value, 1
/// if the first ones do: of these, lanes from `offset` on take the other one's value instead.
using ShuffleReduce = void (*)(void* list, int16_t lane, int16_t offset, int16_t how);
/// The list of lane 0 of warp i becomes that of lane i of the first warp. All threads of the team.
using MoveToFirstWarp = void (*)(void* list, int32_t warps);
using OnRecord = void (*)(void* buffer, int32_t record, void* list);

constexpr int16_t kAllLanes = 0;
constexpr int16_t kFirstLanes = 1;

/// The lists of threads 0 to count - 1. All threads that sync_team() waits for come here.
///
/// `reduce` is called in one place: for a large type it is thousands of instructions, which come to
/// stand there.
void reduce_threads(void* list, uint32_t count, ShuffleReduce reduce, MoveToFirstWarp move) {
  const auto lane = static_cast<int16_t>(machine::lane());
  const uint32_t first = machine::thread_in_block() - machine::lane();
  const uint32_t warps = (count + machine::warp_size() - 1) / machine::warp_size();
  // Lanes of this warp that have a list, which comes here as a whole.
  uint32_t lanes = first >= count                         ? 0
                   : count - first < machine::warp_size() ? count - first
                                                          : machine::warp_size();
  for (bool of_warps = warps == 1;; of_warps = true) {
    const int16_t how = lanes == machine::warp_size() ? kAllLanes : kFirstLanes;
    for (uint32_t left = lanes; left > 1; left = (left + 1) / 2) {
      reduce(list, lane, static_cast<int16_t>(left / 2), how);
    }
    if (of_warps) {
      return;
    }
    move(list, static_cast<int32_t>(warps));
    lanes = first == 0 ? warps : 0;
  }
}

GANTRY_SHARED bool team_is_last;

/// Writes the team's list into its record, and returns whether all other teams have done so before.
/// Where there are more teams than records, teams share a record in turns.
bool give_to_grid(void* buffer, uint32_t records, void* list, OnRecord copy, OnRecord reduce) {
  const uint32_t team_number = machine::block_in_grid();
  const uint32_t turn = team_number / records;
  const auto record = static_cast<int32_t>(team_number % records);
  uint32_t& arrived = team.launch->arrived;
  if (turn == 0) {
    copy(buffer, record, list);
  } else {
    while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < turn * records) {
      machine::pause(100);
    }
    machine::fence_device();
    reduce(buffer, record, list);
  }
  machine::fence_device();
  const bool last = __atomic_add_fetch(&arrived, 1U, __ATOMIC_RELAXED) == machine::grid_size();
  machine::fence_device();
  if (last) {
    arrived = 0; // for the next launch
  }
  return last;
}

} // namespace

extern "C" {

int32_t __kmpc_nvptx_parallel_reduce_nowait_v2(Ident*, uint64_t, void* list, ShuffleReduce reduce,
                                               MoveToFirstWarp move) {
  const uint32_t count = thread_count();
  if (count > 1) {
    reduce_threads(list, count, reduce, move);
  }
  return thread_number() == 0 ? 1 : 0;
}

int32_t __kmpc_nvptx_teams_reduce_nowait_v2(Ident*, void* buffer, uint32_t record_count, uint64_t,
                                            void* list, ShuffleReduce reduce, MoveToFirstWarp move,
                                            OnRecord list_to_record, OnRecord reduce_to_record,
                                            OnRecord record_to_list, OnRecord reduce_from_record) {
  // Where the optimiser has made a generic kernel SPMD, the main thread's variable is shared by all
  // threads.
  const bool together = __gantry_kernel_mode() == GANTRY_KERNEL_SPMD;
  const uint32_t thread = is_spmd() ? machine::thread_in_block() : 0;
  const uint32_t teams = machine::grid_size();
  if (teams == 1 || (thread != 0 && !together)) {
    return thread == 0 ? 1 : 0;
  }
  if (thread == 0) {
    team_is_last = give_to_grid(buffer, record_count, list, list_to_record, reduce_to_record);
  }
  if (together) {
    sync_team();
  }
  if (!team_is_last) {
    return 0;
  }
  machine::fence_device();
  const uint32_t records = teams < record_count ? teams : record_count;
  const uint32_t threads = together ? machine::block_size() : 1;
  if (thread < records) {
    record_to_list(buffer, static_cast<int32_t>(thread), list);
    for (uint32_t record = thread + threads; record < records; record += threads) {
      reduce_from_record(buffer, static_cast<int32_t>(record), list);
    }
  }
  if (threads > 1) {
    reduce_threads(list, records < threads ? records : threads, reduce, move);
  }
  return thread == 0 ? 1 : 0;
}

void* __kmpc_reduction_get_fixed_buffer() {
  return reinterpret_cast<void*>(team.launch->records);
}

int32_t __kmpc_shuffle_int32(int32_t value, int16_t delta, int16_t width) {
  return static_cast<int32_t>(machine::shuffle_down(lanes_of_team(), static_cast<uint32_t>(value),
                                                    static_cast<uint32_t>(delta),
                                                    static_cast<uint32_t>(width)));
}

int64_t __kmpc_shuffle_int64(int64_t value, int16_t delta, int16_t width) {
  const machine::LaneMask lanes = lanes_of_team();
  const auto low =
      machine::shuffle_down(lanes, static_cast<uint32_t>(value), static_cast<uint32_t>(delta),
                            static_cast<uint32_t>(width));
  const auto high =
      machine::shuffle_down(lanes, static_cast<uint32_t>(value >> 32), static_cast<uint32_t>(delta),
                            static_cast<uint32_t>(width));
  return static_cast<int64_t>(uint64_t{high} << 32 | low);
}

} // extern "C"

} // namespace gantry::device
