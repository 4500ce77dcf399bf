// A kernel of a CPU image is a C function whose parameters are all of pointer size. Their number is
// known only at a launch: up to kDirect the call goes through a table with a caller for each
// number, which costs a few nanoseconds; beyond, call_with_many() makes it.
#include "plugins/cpu/entries.h"
#include "plugins/cpu/full_teams.h"
#include "plugins/cpu/image.h"
#include "plugins/cpu/initial_threads.h"
#include "plugins/cpu/many_parameters.h"
#include "plugins/cpu/team_hint.h"
#include "plugins/last_error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

namespace {

using Caller = void (*)(void* function, void* const* arguments);

template <std::size_t>
using Parameter = void*;

template <std::size_t... Index>
void call(void* function, void* const* arguments) {
  reinterpret_cast<void (*)(Parameter<Index>...)>(function)(arguments[Index]...);
}

template <std::size_t... Index>
constexpr Caller caller_for(std::index_sequence<Index...>) {
  return &call<Index...>;
}

template <std::size_t... Count>
constexpr auto callers(std::index_sequence<Count...>) {
  return std::array<Caller, sizeof...(Count)>{caller_for(std::make_index_sequence<Count>())...};
}

constexpr std::size_t kDirect = 24;
constexpr auto kCallers = callers(std::make_index_sequence<kDirect + 1>());

/// A region of GCC's has one parameter, the block of its arguments.
void run_region(const gantry_kernel& kernel, const gantry_launch& launch) {
  gantry::cpu::RegionOfFullTeam region{
      .function = reinterpret_cast<void (*)(void*)>(kernel.function),
      .block = launch.argument_count == 0 ? nullptr : launch.arguments[0],
      .limit = launch.thread_limit[0]};
  if (kernel.full_teams) {
    kernel.run(gantry::cpu::run_in_full_team, &region, launch.num_teams[0], region.limit);
  } else {
    kernel.run(region.function, region.block, launch.num_teams[0], region.limit);
  }
}

std::int32_t call_function(const gantry_kernel& kernel, const gantry_launch& launch) {
  if (launch.argument_count <= kDirect) [[likely]] {
    kCallers[launch.argument_count](kernel.function, launch.arguments);
    return GANTRY_SUCCESS;
  }
  return gantry::cpu::call_with_many(kernel.function, launch.arguments, launch.argument_count);
}

/// A team of a kernel of Flang's.
struct Team {
  const gantry_kernel& kernel;
  const gantry_launch& launch;
  std::atomic<std::int32_t> code{GANTRY_SUCCESS};
};

void run_team(void* context) {
  auto& team = *static_cast<Team*>(context);
  if (const std::int32_t code = call_function(team.kernel, team.launch); code != GANTRY_SUCCESS) {
    team.code = code;
  }
}

std::int32_t call_kernel(const gantry_kernel& kernel, const gantry_launch& launch) {
  if (kernel.run_league == nullptr) [[likely]] {
    return call_function(kernel, launch);
  }
  Team team{kernel, launch};
  const std::uint32_t limit =
      launch.thread_limit[0] == 0 ? kernel.thread_limit : launch.thread_limit[0];
  kernel.run_league(run_team, &team, launch.num_teams[0], limit);
  return team.code;
}

/// Only bare kernels have further dimensions, and code for CPUs makes a league of one dimension of
/// them, with one thread a team: less than what the program asks for.
bool has_further_dimensions(const gantry_launch& launch) {
  return (launch.num_teams[1] | launch.num_teams[2] | launch.thread_limit[1] |
          launch.thread_limit[2]) > 1;
}

std::int32_t refuse_dimensions(const gantry_launch& launch) {
  const auto& teams = launch.num_teams;
  const auto& threads = launch.thread_limit;
  return gantry::plugins::report(
      GANTRY_FAILURE,
      "the bare region wants a grid of ({}, {}, {}) teams of ({}, {}, {}) threads, and a CPU has "
      "none; give its num_teams and thread_limit clauses one value each, or run it on a GPU",
      std::max(teams[0], 1U), std::max(teams[1], 1U), std::max(teams[2], 1U),
      std::max(threads[0], 1U), std::max(threads[1], 1U), std::max(threads[2], 1U));
}

} // namespace

gantry_status gantry::cpu::entries::launch(gantry_device* /*device*/, gantry_kernel* kernel,
                                           const gantry_launch* launch) noexcept {
  if (has_further_dimensions(*launch)) [[unlikely]] {
    return refuse_dimensions(*launch);
  }
  if (kernel->run != nullptr) [[unlikely]] {
    run_region(*kernel, *launch);
    return GANTRY_SUCCESS;
  }
  if (kernel->full_teams) [[unlikely]] {
    return gantry::cpu::run_apart([&] {
      gantry::cpu::begin_full_teams(*launch);
      return call_kernel(*kernel, *launch);
    });
  }
  return call_kernel(*kernel, *launch);
}

const char* gantry::cpu::entries::launch_hint(gantry_device* /*device*/, gantry_kernel* kernel,
                                              const gantry_launch* launch) noexcept {
  return kernel->full_teams ? gantry::cpu::full_team_hint(kernel->image->contents(), *launch)
                            : gantry::cpu::team_hint(kernel->image->contents(), *launch, 0, "cpu");
}
