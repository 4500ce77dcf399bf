// Leagues of kernels that are written for one team: those of Flang, which lowers device code for
// CPUs as for GPUs (flang/regions.cpp). In an image that has such a kernel; the plugin finds the
// function by name.
#include <stdint.h>

namespace {

/// libomp's description of a place in the source.
struct Ident {
  int32_t reserved_1, flags, reserved_2, reserved_3;
  const char* source;
};

Ident nowhere = {0, 2, 0, 0, ";unknown;unknown;0;0;;"}; // 2: libomp is called by a compiler

struct Team {
  void (*run)(void*);
  void* context;
};

void run_team(int32_t* /*thread*/, int32_t* /*bound*/, Team* team) {
  team->run(team->context);
}

} // namespace

extern "C" {

int32_t __kmpc_global_thread_num(Ident*);
void __kmpc_push_num_teams_51(Ident*, int32_t thread, int32_t least, int32_t most,
                              int32_t thread_limit);
void __kmpc_fork_teams(Ident*, int32_t count, void* region, ...);
int omp_get_max_threads();

/// Calls `team` with `context` once for each team of a league, by its initial thread. `teams` is 0
/// if their number is open: one, because a CPU's threads are best used by one team. `thread_limit`
/// is 0 if there is none.
__attribute__((visibility("default"), used)) void
__gantry_run_league(void (*team)(void*), void* context, uint32_t teams, uint32_t thread_limit) {
  const bool limited =
      thread_limit != 0 && thread_limit < static_cast<uint32_t>(omp_get_max_threads());
  if (teams <= 1 && !limited) {
    team(context);
    return;
  }
  Team argument{team, context};
  const auto count = static_cast<int32_t>(teams == 0 ? 1 : teams);
  // libomp warns of a limit that it cannot reach, and Flang gives every kernel one of 256.
  __kmpc_push_num_teams_51(&nowhere, __kmpc_global_thread_num(&nowhere), count, count,
                           limited ? static_cast<int32_t>(thread_limit) : 0);
  __kmpc_fork_teams(&nowhere, 1, reinterpret_cast<void*>(run_team), &argument);
}

} // extern "C"
