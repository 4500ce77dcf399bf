#include "plugins/cpu/full_teams.h"

#include "plugins/cpu/elf_image.h"
#include "plugins/cpu/image_binding.h"
#include "plugins/cpu/team_hint.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <limits>
#include <mutex>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

namespace gantry::cpu {

namespace {

using Location = void; ///< libomp's ident_t
using Microtask = void (*)(std::int32_t* thread, std::int32_t* team_thread, ...);

/// What is used of the OpenMP runtime that the images are bound to, as X(result, name, parameters).
#define GANTRY_OPENMP(X)                                                                           \
  X(void, omp_set_dynamic, (int))                                                                  \
  X(void, omp_set_num_threads, (int))                                                              \
  X(int, omp_get_max_threads, ())                                                                  \
  X(int, omp_get_max_teams, ())                                                                    \
  X(int, omp_get_teams_thread_limit, ())                                                           \
  X(void, kmp_set_blocktime, (int milliseconds))                                                   \
  X(int, __kmpc_global_thread_num, (Location*))                                                    \
  X(void, __kmpc_set_thread_limit, (Location*, std::int32_t thread, std::int32_t limit))           \
  X(void, __kmpc_fork_call, (Location*, std::int32_t count, Microtask, ...))                       \
  X(void, __kmpc_fork_call_if,                                                                     \
    (Location*, std::int32_t count, Microtask, std::int32_t condition, void* argument))            \
  X(int, __kmp_invoke_microtask,                                                                   \
    (Microtask, int thread, int team_thread, int count, void** arguments, void** frame))

/// Members that the process does not have are null; no image calls what needs them then.
struct OpenMP {
#define GANTRY_POINTER(result, name, parameters) result(*name) parameters;
  GANTRY_OPENMP(GANTRY_POINTER)
#undef GANTRY_POINTER
  // Loops: of int32_t, uint32_t, int64_t, uint64_t.
  void* static_init[4];
};

constinit OpenMP openmp = {}; ///< a member stays as it is once it is set

/// Where the calling thread is in a league. Threads of a parallel region get it from the one that
/// met the construct. They keep it, because they go on with the region's tasks when their part of
/// it is done; whatever they run next in such an image begins with another.
struct League {
  std::int32_t team = 0;
  std::int32_t teams = 1;
};
constinit thread_local League league;

/// What a teams construct names, between the two calls that begin one.
struct Clauses {
  std::int32_t teams = 0; ///< 0: open
  std::int32_t limit = 0; ///< 0: none
};
constinit thread_local Clauses clauses;

int threads_of_team(std::uint32_t limit) {
  return static_cast<int>(std::min(limit, kMostThreadsOfTeam));
}

/// The number of threads of the calling thread's next parallel regions. The runtime is not to give
/// fewer because the machine is busy.
void set_threads(int threads) {
  openmp.omp_set_dynamic(0);
  openmp.omp_set_num_threads(threads);
}

// Leagues. The parameters are those of libomp's functions of these names.

void push_num_teams(Location* /*location*/, std::int32_t /*thread*/, std::int32_t teams,
                    std::int32_t limit) {
  clauses = {.teams = teams, .limit = limit};
}

void push_num_teams_51(Location* /*location*/, std::int32_t /*thread*/, std::int32_t /*least*/,
                       std::int32_t most, std::int32_t limit) {
  clauses = {.teams = most, .limit = limit};
}

std::vector<void*> collect(std::va_list list, std::int32_t count) {
  std::vector<void*> arguments(static_cast<std::size_t>(count));
  for (void*& argument : arguments) {
    argument = va_arg(list, void*);
  }
  return arguments;
}

void call(Microtask microtask, std::int32_t thread, std::int32_t team_thread,
          std::vector<void*>& arguments) {
  void* frame = nullptr;
  openmp.__kmp_invoke_microtask(microtask, thread, team_thread, static_cast<int>(arguments.size()),
                                arguments.data(), &frame);
}

void run_league(Location* location, Microtask microtask, std::vector<void*>& arguments) {
  auto [teams, limit] = std::exchange(clauses, {});
  if (teams == 0) {
    teams = std::max(1, openmp.omp_get_max_teams());
  }
  if (limit == 0) {
    limit = openmp.omp_get_teams_thread_limit();
  }
  const std::int32_t thread = openmp.__kmpc_global_thread_num(location);
  const int threads = openmp.omp_get_max_threads();
  const int full = threads_of_team(static_cast<std::uint32_t>(std::max(limit, 1)));
  const League around = league;
  for (std::int32_t team = 0; team < teams; ++team) {
    league = {.team = team, .teams = teams};
    // Each team anew: code in it may change its ICVs.
    if (limit > 0) {
      openmp.__kmpc_set_thread_limit(location, thread, full);
    }
    set_threads(limit > 0 ? full : threads);
    call(microtask, thread, 0, arguments);
  }
  league = around;
  set_threads(threads);
}

void fork_teams(Location* location, std::int32_t count, Microtask microtask, ...) {
  std::va_list list;
  va_start(list, microtask);
  std::vector<void*> arguments = collect(list, count);
  va_end(list);
  run_league(location, microtask, arguments);
}

std::int32_t team_number() {
  return league.team;
}

std::int32_t number_of_teams() {
  return league.teams;
}

// Parallel regions hand on where in a league they are.

struct Parallel {
  League league;
  Microtask microtask;
  std::vector<void*> arguments;
};

void enter_parallel(std::int32_t* thread, std::int32_t* team_thread, Parallel* parallel) {
  league = parallel->league;
  call(parallel->microtask, *thread, *team_thread, parallel->arguments);
}

void fork(Location* location, Parallel& parallel) {
  openmp.__kmpc_fork_call(location, 1, reinterpret_cast<Microtask>(&enter_parallel), &parallel);
  league = parallel.league;
}

void fork_call(Location* location, std::int32_t count, Microtask microtask, ...) {
  std::va_list list;
  va_start(list, microtask);
  Parallel parallel{.league = league, .microtask = microtask, .arguments = collect(list, count)};
  va_end(list);
  fork(location, parallel);
}

void fork_call_if(Location* location, std::int32_t count, Microtask microtask,
                  std::int32_t condition, void* argument) {
  if (condition == 0) {
    openmp.__kmpc_fork_call_if(location, count, microtask, condition, argument);
    return;
  }
  Parallel parallel{.league = league, .microtask = microtask, .arguments = {argument}};
  fork(location, parallel);
}

// Loops that are distributed over the teams of a league.

// libomp's numbers of schedules; higher bits are modifiers, which say nothing about these.
constexpr std::int32_t kDistributeChunks = 91;
constexpr std::int32_t kDistribute = 92;
constexpr std::int32_t kSchedule = 0xFFFF;

template <typename T>
constexpr std::size_t kIndex = (sizeof(T) == 8 ? 2 : 0) + (std::is_unsigned_v<T> ? 1 : 0);

template <typename T>
using StaticInit = void (*)(Location*, std::int32_t thread, std::int32_t schedule,
                            std::int32_t* last, T* lower, T* upper, std::make_signed_t<T>* stride,
                            std::make_signed_t<T> step, std::make_signed_t<T> chunk);

/// Makes the calling team's iterations of those from *lower to *upper, both inclusive: in chunks in
/// turn, of which *stride leads from one of the team's to its next, or one piece each, whose sizes
/// differ by 1 at most (OpenMP 5.2, section 11.6, the distribute construct).
template <typename T>
void distribute(std::int32_t* last, T* lower, T* upper, std::make_signed_t<T>* stride,
                std::make_signed_t<T> step, std::make_signed_t<T> chunk) {
  using Count = std::make_unsigned_t<T>;
  const bool up = step > 0;
  if (up ? *upper < *lower : *lower < *upper) {
    *last = 0;
    *stride = step;
    return;
  }
  const auto distance = up ? static_cast<Count>(*upper) - static_cast<Count>(*lower)
                           : static_cast<Count>(*lower) - static_cast<Count>(*upper);
  const auto size = up ? static_cast<Count>(step) : Count{0} - static_cast<Count>(step);
  const auto before_last = static_cast<Count>(distance / size); // the number of iterations, less 1
  const auto team = static_cast<Count>(league.team);
  const auto teams = static_cast<Count>(league.teams);
  const auto at = [first = static_cast<Count>(*lower), step](Count iteration) {
    return static_cast<T>(static_cast<Count>(first + iteration * static_cast<Count>(step)));
  };
  if (chunk > 0) {
    const auto length = static_cast<Count>(chunk);
    const T begin = at(static_cast<Count>(team * length));
    *last = before_last / length % teams == team ? 1 : 0;
    *stride = static_cast<std::make_signed_t<T>>(
        static_cast<Count>(length * teams * static_cast<Count>(step)));
    *upper = at(static_cast<Count>(team * length + length - 1));
    *lower = begin;
    return;
  }
  // before_last + 1 may not be a number of this type, so pieces are made of what is before the last
  // iteration: with r = before_last % teams, the teams up to r have one iteration more.
  const auto each = static_cast<Count>(before_last / teams);
  const auto longer = static_cast<Count>(before_last % teams);
  const bool has_more = team <= longer;
  const auto first =
      static_cast<Count>(team * each + std::min(team, static_cast<Count>(longer + 1)));
  const auto count = static_cast<Count>(each + (has_more ? 1 : 0));
  *stride = static_cast<std::make_signed_t<T>>(before_last + 1);
  if (count == 0) {
    *last = 0;
    *lower = static_cast<T>(static_cast<Count>(*upper) + static_cast<Count>(step)); // no iteration
    return;
  }
  const T begin = at(first);
  *last = first + (count - 1) == before_last ? 1 : 0;
  *upper = at(static_cast<Count>(first + (count - 1)));
  *lower = begin;
}

template <typename T>
void static_init(Location* location, std::int32_t thread, std::int32_t schedule, std::int32_t* last,
                 T* lower, T* upper, std::make_signed_t<T>* stride, std::make_signed_t<T> step,
                 std::make_signed_t<T> chunk) {
  const std::int32_t kind = schedule & kSchedule;
  if (kind == kDistribute || kind == kDistributeChunks) {
    distribute(last, lower, upper, stride, step,
               kind == kDistribute ? std::make_signed_t<T>{0}
                                   : std::max(chunk, std::make_signed_t<T>{1}));
    return;
  }
  reinterpret_cast<StaticInit<T>>(openmp.static_init[kIndex<T>])(location, thread, schedule, last,
                                                                 lower, upper, stride, step, chunk);
}

/// A loop over the threads of all teams at once: the team's part, and of that the thread's.
template <typename T>
void distribute_static_init(Location* location, std::int32_t thread, std::int32_t schedule,
                            std::int32_t* last, T* lower, T* upper, T* upper_of_team,
                            std::make_signed_t<T>* stride, std::make_signed_t<T> step,
                            std::make_signed_t<T> chunk) {
  std::int32_t last_team = 0;
  distribute(&last_team, lower, upper, stride, step, std::make_signed_t<T>{0});
  *upper_of_team = *upper;
  std::int32_t last_thread = 0;
  reinterpret_cast<StaticInit<T>>(openmp.static_init[kIndex<T>])(
      location, thread, schedule, &last_thread, lower, upper, stride, step, chunk);
  *last = last_team & last_thread;
}

struct Binding {
  std::string_view name;
  void* function;
};

template <typename Function>
Binding binding(std::string_view name, Function* function) noexcept {
  return {name, reinterpret_cast<void*>(function)};
}

const Binding kBindings[] = {
    binding("__kmpc_push_num_teams", push_num_teams),
    binding("__kmpc_push_num_teams_51", push_num_teams_51),
    binding("__kmpc_fork_teams", fork_teams),
    binding("__kmpc_fork_call", fork_call),
    binding("__kmpc_fork_call_if", fork_call_if),
    binding("omp_get_team_num", team_number),
    binding("omp_get_team_num_", team_number),
    binding("omp_get_num_teams", number_of_teams),
    binding("omp_get_num_teams_", number_of_teams),
    binding("__kmpc_for_static_init_4", static_init<std::int32_t>),
    binding("__kmpc_for_static_init_4u", static_init<std::uint32_t>),
    binding("__kmpc_for_static_init_8", static_init<std::int64_t>),
    binding("__kmpc_for_static_init_8u", static_init<std::uint64_t>),
    binding("__kmpc_dist_for_static_init_4", distribute_static_init<std::int32_t>),
    binding("__kmpc_dist_for_static_init_4u", distribute_static_init<std::uint32_t>),
    binding("__kmpc_dist_for_static_init_8", distribute_static_init<std::int64_t>),
    binding("__kmpc_dist_for_static_init_8u", distribute_static_init<std::uint64_t>),
};

/// Functions of leagues that no compiler of ours calls.
constexpr std::string_view kNotOffered[] = {"__kmpc_dist_dispatch_init_",
                                            "__kmpc_team_static_init_"};

/// The address that the loader gives to an image's references to `name`.
void* look_up(void* handle, const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : dlsym(handle, name);
}

} // namespace

void find_openmp(void* handle) {
  OpenMP found = {};
#define GANTRY_FIND(result, name, parameters)                                                      \
  found.name = reinterpret_cast<decltype(found.name)>(look_up(handle, #name));
  GANTRY_OPENMP(GANTRY_FIND)
#undef GANTRY_FIND
  constexpr const char* kLoops[] = {"__kmpc_for_static_init_4", "__kmpc_for_static_init_4u",
                                    "__kmpc_for_static_init_8", "__kmpc_for_static_init_8u"};
  std::ranges::transform(kLoops, found.static_init,
                         [&](const char* name) { return look_up(handle, name); });

  // A later image may load a library that the process did not have before.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static_assert(sizeof(OpenMP) % sizeof(void*) == 0);
  std::array<void*, sizeof(OpenMP) / sizeof(void*)> now;
  std::memcpy(now.data(), &found, sizeof found);
  auto* const known = reinterpret_cast<void**>(&openmp);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (known[i] == nullptr) {
      known[i] = now[i];
    }
  }
}

std::optional<std::string> bind_full_teams(const ElfImage& elf, std::byte* base) {
  std::optional<std::string> problem;
  elf.for_each_import([&](const ElfImage::Import& import) {
    for (const Binding& binding : kBindings) {
      if (binding.name == import.name && !bind_import(import, base, binding.function)) {
        problem = fmt::format("the image's reference to {} cannot be bound for threads=limit: {}",
                              import.name, std::generic_category().message(errno));
      }
    }
    for (const std::string_view name : kNotOffered) {
      if (import.name.starts_with(name)) {
        problem = fmt::format("the image calls {}, which devices with threads=limit do not have",
                              import.name);
      }
    }
  });
  return problem;
}

void begin_full_teams(const gantry_launch& launch) {
  if (openmp.omp_set_num_threads == nullptr) {
    return; // nothing in the process is parallel
  }
  if (openmp.kmp_set_blocktime != nullptr) {
    // Where a team's threads are many times the processors, one that waits actively takes the time
    // of those that it waits for.
    openmp.kmp_set_blocktime(0);
  }
  // The thread has run other kernels.
  thread_local const int default_threads = openmp.omp_get_max_threads();
  const std::uint32_t limit = launch.thread_limit[0];
  if (openmp.__kmpc_set_thread_limit != nullptr) {
    openmp.__kmpc_set_thread_limit(nullptr, openmp.__kmpc_global_thread_num(nullptr),
                                   limit != 0 ? threads_of_team(limit)
                                              : std::numeric_limits<std::int32_t>::max());
  }
  set_threads(limit != 0 ? threads_of_team(limit) : default_threads);
}

void run_in_full_team(void* region) {
  const auto& [function, block, limit] = *static_cast<const RegionOfFullTeam*>(region);
  if (limit != 0 && openmp.omp_set_num_threads != nullptr) {
    set_threads(threads_of_team(limit));
  }
  function(block);
}

} // namespace gantry::cpu
