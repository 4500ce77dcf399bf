#include "plugins/cpu/team_hint.h"

#include "plugins/cpu/elf_image.h"
#include "plugins/last_error.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <sched.h>
#include <sys/sysinfo.h>

namespace gantry::cpu {

namespace {

/// The first number of an environment variable's value; 0 if there is none.
std::uint32_t number_in(const char* variable) {
  std::uint32_t first = 0;
  if (const char* const text = std::getenv(variable); text != nullptr) {
    const char* const begin = text + std::strspn(text, " \t");
    if (std::from_chars(begin, text + std::strlen(text), first).ec != std::errc()) {
      return 0;
    }
  }
  return first;
}

/// How many threads a parallel region has by default.
std::uint32_t default_threads() {
  if (const std::uint32_t named = number_in("OMP_NUM_THREADS"); named != 0) {
    return named;
  }
  cpu_set_t mine; // not those of the machine, which std::thread counts
  const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  return static_cast<std::uint32_t>(std::max(1, known ? CPU_COUNT(&mine) : get_nprocs()));
}

/// How many of them a team of a league gets: libomp's teams run at once, and share the processors.
std::uint32_t threads_of_team(std::uint32_t threads, std::uint32_t teams, const ElfImage& image) {
  const bool of_gcc = image.find("__gantry_gcc_image") != nullptr;
  const auto processors = static_cast<std::uint32_t>(std::max(1, get_nprocs()));
  return of_gcc ? threads : std::clamp(processors / std::max(teams, 1U), 1U, threads);
}

} // namespace

const char* team_hint(std::span<const std::byte> image, const gantry_launch& launch,
                      std::uint32_t threads, const char* device) {
  const auto elf = ElfImage::open(image);
  if (launch.kind == GANTRY_LAUNCH_TARGET || !elf || !elf->imports("omp_get_thread_num")) {
    return nullptr;
  }
  // Clang launches a parallel construct without teams as a league of one, with what num_threads
  // names, and that many threads it gets.
  if (launch.num_teams[0] == 1 && elf->imports("__kmpc_fork_call") &&
      !elf->imports("__kmpc_fork_teams")) {
    return nullptr;
  }
  threads = threads_of_team(threads == 0 ? default_threads() : threads, launch.num_teams[0], *elf);
  if (launch.thread_limit[0] <= threads || threads >= kMostThreadsOfTeam) {
    return nullptr;
  }
  plugins::report(GANTRY_SUCCESS,
                  "the construct names {} threads for a team, and a team gets {} here; code that "
                  "relies on all of them needs the option threads=limit, as in "
                  "GANTRY_DEVICES={}+threads=limit",
                  launch.thread_limit[0], threads, device);
  return plugins::last_error();
}

const char* full_team_hint(std::span<const std::byte> image, const gantry_launch& launch) {
  const std::uint32_t limit = number_in("OMP_THREAD_LIMIT");
  const std::uint32_t named = std::min(launch.thread_limit[0], kMostThreadsOfTeam);
  if (limit == 0 || named <= limit) {
    return nullptr;
  }
  const auto elf = ElfImage::open(image);
  if (!elf || !elf->imports("omp_get_thread_num")) {
    return nullptr;
  }
  plugins::report(
      GANTRY_SUCCESS,
      "the construct names {} threads for a team, and OMP_THREAD_LIMIT lets it have {}; "
      "code that relies on all of them needs a larger OMP_THREAD_LIMIT, or none",
      launch.thread_limit[0], limit);
  return plugins::last_error();
}

} // namespace gantry::cpu
