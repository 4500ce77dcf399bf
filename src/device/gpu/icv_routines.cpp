// Routines about internal control variables: of the calling task's data environment, or the
// device's one value (OpenMP 5.2, sections 18.2 to 18.4 and chapter 2).
#include "device/gpu/loops.h"
#include "device/gpu/thread_state.h"

namespace gantry::device {
namespace {

/// omp_sched_t.
enum ProgramSchedule : int32_t { kSchedStatic = 1, kSchedDynamic, kSchedGuided, kSchedAuto };
constexpr int32_t kMonotonic = static_cast<int32_t>(0x80000000);
constexpr int32_t kPrimaryBind = 1; ///< omp_proc_bind_true

int32_t internal_schedule(int32_t kind) {
  switch (kind & ~kMonotonic) {
  case kSchedDynamic:
    return kDynamic;
  case kSchedGuided:
    return kGuided;
  case kSchedAuto:
    return kAuto;
  default:
    return kStaticChunked;
  }
}

int32_t program_schedule(int32_t schedule) {
  switch (schedule) {
  case kDynamic:
    return kSchedDynamic;
  case kGuided:
    return kSchedGuided;
  case kAuto:
    return kSchedAuto;
  default:
    return kSchedStatic;
  }
}

} // namespace

extern "C" {

void omp_set_num_threads(int32_t threads) {
  icvs_to_change().num_threads = threads > 0 ? threads : 1;
}
int32_t omp_get_max_threads() {
  // A region inside of a region has one thread.
  const int32_t asked = current_icvs().num_threads;
  if (depth() != 0) {
    return asked > 0 ? asked : 1;
  }
  return asked > 0 ? asked : static_cast<int32_t>(team.available);
}
int32_t omp_get_thread_limit() {
  return static_cast<int32_t>(team.available);
}
int32_t omp_get_num_procs() {
  return static_cast<int32_t>(team.available);
}
void omp_set_schedule(int32_t kind, int32_t chunk) {
  Icvs& icvs = icvs_to_change();
  icvs.schedule = internal_schedule(kind);
  icvs.chunk = chunk;
}
void omp_get_schedule(int32_t* kind, int32_t* chunk) {
  const Icvs icvs = current_icvs();
  *kind = program_schedule(icvs.schedule);
  *chunk = icvs.chunk;
}
void omp_set_max_active_levels(int32_t levels) {
  if (levels >= 0) {
    icvs_to_change().max_active_levels = levels > 1 ? 1 : levels;
  }
}
int32_t omp_get_max_active_levels() {
  return current_icvs().max_active_levels;
}
GANTRY_ANSWER(int32_t, omp_get_supported_active_levels, (), 1)
void omp_set_nested(int32_t nested) {
  omp_set_max_active_levels(nested != 0 ? 1 : current_icvs().max_active_levels);
}
GANTRY_ANSWER(int32_t, omp_get_nested, (), 0)
void omp_set_dynamic(int32_t) {}
GANTRY_ANSWER(int32_t, omp_get_dynamic, (), 0)
GANTRY_ANSWER(int32_t, omp_get_cancellation, (), 0)
GANTRY_ANSWER(int32_t, omp_get_max_task_priority, (), 0)
int32_t omp_get_ancestor_thread_num(int32_t level) {
  const auto deepest = static_cast<int32_t>(depth());
  if (level < 0 || level > deepest) {
    return -1;
  }
  // Level 1 is the only one that can have several threads.
  return level == 1 && team.size > 1 ? static_cast<int32_t>(machine::thread_in_block()) : 0;
}
int32_t omp_get_team_size(int32_t level) {
  const auto deepest = static_cast<int32_t>(depth());
  if (level < 0 || level > deepest) {
    return -1;
  }
  return level == 1 ? static_cast<int32_t>(team.size) : 1;
}
GANTRY_ANSWER(int32_t, omp_get_default_device, (), 0)
void omp_set_default_device(int32_t) {}
GANTRY_ANSWER(int32_t, omp_get_proc_bind, (), kPrimaryBind)
GANTRY_ANSWER(int32_t, omp_get_num_places, (), 0)
GANTRY_ANSWER(int32_t, omp_get_place_num_procs, (int32_t), 0)
void omp_get_place_proc_ids(int32_t, int32_t*) {}
GANTRY_ANSWER(int32_t, omp_get_place_num, (), -1)
GANTRY_ANSWER(int32_t, omp_get_partition_num_places, (), 0)
void omp_get_partition_place_nums(int32_t*) {}
void omp_set_num_teams(int32_t) {}
GANTRY_ANSWER(int32_t, omp_get_max_teams, (), 0)
void omp_set_teams_thread_limit(int32_t) {}
GANTRY_ANSWER(int32_t, omp_get_teams_thread_limit, (), 0)
GANTRY_ANSWER(int32_t, omp_pause_resource, (int32_t, int32_t), -1)
GANTRY_ANSWER(int32_t, omp_pause_resource_all, (int32_t), -1)
void omp_display_env(int32_t) {}

} // extern "C"

} // namespace gantry::device
