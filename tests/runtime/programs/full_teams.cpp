// Regions written for a GPU, which rely on a team having as many threads as their construct names.
// They are right on devices with threads=limit, and on those that have it by nature.
#include "check.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <vector>

#include <omp.h>

#pragma omp declare target
/// Where an iteration was executed: a number for each, and how often.
struct Visit {
  int count;
  int team;
};
#pragma omp end declare target

/// A scan over blocks, each of which is a team's: every thread reads what others have written.
static void scan_blocks() {
  constexpr int kBlocks = 5;
  constexpr int kThreads = 256;
  std::vector<int> values(kBlocks * kThreads);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(i * 7 % 11);
  }
  std::vector<int> sums = values;
  int* const data = sums.data();
#pragma omp target teams num_teams(kBlocks) thread_limit(kThreads)                                 \
    map(tofrom : data[0 : kBlocks * kThreads])
  {
    int scan[2][kThreads];
#pragma omp parallel
    {
      const int thread = omp_get_thread_num();
      int* const block = data + omp_get_team_num() * kThreads;
      scan[0][thread] = block[thread];
      int from = 0;
      for (int distance = 1; distance < kThreads; distance *= 2) {
#pragma omp barrier
        scan[1 - from][thread] =
            scan[from][thread] + (thread >= distance ? scan[from][thread - distance] : 0);
        from = 1 - from;
      }
      block[thread] = scan[from][thread];
    }
  }
  for (int block = 0; block < kBlocks; ++block) {
    int sum = 0;
    for (int i = block * kThreads; i < (block + 1) * kThreads; ++i) {
      sum += values[static_cast<std::size_t>(i)];
      CHECK_EQUAL(sums[static_cast<std::size_t>(i)], sum);
    }
  }
}

/// A bitonic sort by one team; its size is the parallel construct's.
static void sort_block() {
  constexpr int kThreads = 128;
  int values[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    values[i] = i * 37 % kThreads;
  }
#pragma omp target teams num_teams(1) thread_limit(kThreads) map(tofrom : values)
#pragma omp parallel num_threads(kThreads)
  {
    const int thread = omp_get_thread_num();
    for (int size = 2; size <= kThreads; size *= 2) {
      for (int distance = size / 2; distance > 0; distance /= 2) {
#pragma omp barrier
        const int other = thread ^ distance;
        if (other > thread) {
          const bool up = (thread & size) == 0;
          if ((values[thread] > values[other]) == up) {
            const int value = values[thread];
            values[thread] = values[other];
            values[other] = value;
          }
        }
      }
    }
  }
  for (int i = 0; i < kThreads; ++i) {
    CHECK_EQUAL(values[i], i);
  }
}

/// A grid of many more threads than any machine has.
static void large_grid() {
  constexpr int kTeams = 700;
  constexpr int kThreads = 32;
  std::vector<int> visits(kTeams * kThreads, 0);
  int* const visited = visits.data();
  int teams = 0;
#pragma omp target teams num_teams(kTeams) thread_limit(kThreads)                                  \
    map(tofrom : visited[0 : kTeams * kThreads]) map(tofrom : teams)
#pragma omp parallel
  {
    visited[omp_get_team_num() * kThreads + omp_get_thread_num()] += 1;
    if (omp_get_thread_num() == 0) {
#pragma omp atomic
      teams += omp_get_num_teams() == kTeams && omp_get_num_threads() == kThreads ? 1 : 0;
    }
  }
  CHECK_EQUAL(teams, kTeams);
  CHECK_EQUAL(std::count(visits.begin(), visits.end(), 1), kTeams * kThreads);
}

/// One team with what the parallel construct names alone.
static void threads_of_a_parallel_construct() {
  int threads[2] = {0, 0};
#pragma omp target parallel num_threads(200) map(tofrom : threads)
  {
#pragma omp atomic
    threads[0] += 1;
    if (omp_get_thread_num() == 0) {
      threads[1] = omp_get_num_threads();
    }
  }
  CHECK_EQUAL(threads[0], 200);
  CHECK_EQUAL(threads[1], 200);
}

template <typename T>
static void check_distribution(T first, T count, T step, int teams) {
  std::vector<Visit> visits(static_cast<std::size_t>(count) + 1, Visit{0, -1});
  Visit* const visited = visits.data();
  const T end = static_cast<T>(first + count * step);
  T last = 0;
#pragma omp target teams distribute num_teams(teams) thread_limit(8) lastprivate(last)             \
    map(tofrom : last) map(tofrom : visited[0 : count])
  for (T i = first; i < end; i += step) {
    Visit& visit = visited[(i - first) / step];
    visit.count += 1;
    visit.team = omp_get_team_num();
    last = i;
  }
  CHECK_EQUAL(visits.back().count, 0);
  for (T i = 0; i < count; ++i) {
    const Visit& visit = visits[static_cast<std::size_t>(i)];
    CHECK_EQUAL(visit.count, 1);
    CHECK(visit.team >= 0 && visit.team < teams);
    if (i > 0) {
      CHECK(visits[static_cast<std::size_t>(i) - 1].team <= visit.team);
    }
  }
  if (count > 0) {
    CHECK_EQUAL(last, static_cast<T>(end - step));
  }
}

template <typename T>
static void check_distributions() {
  for (const int count : {0, 1, 2, 3, 7, 8, 9, 100}) {
    for (const int teams : {1, 2, 7, 8, 9}) {
      for (const int step : {1, 3}) {
        check_distribution<T>(5, static_cast<T>(count), static_cast<T>(step), teams);
      }
    }
  }
}

/// Downwards, from the type's largest value, and in chunks.
static void check_other_distributions() {
  constexpr int kCount = 50;
  constexpr int kTeams = 4;
  Visit visits[3][kCount] = {};
#pragma omp target teams distribute num_teams(kTeams) map(tofrom : visits)
  for (int i = kCount - 1; i >= 0; --i) {
    visits[0][i].count += 1;
  }
#pragma omp target teams distribute num_teams(kTeams) map(tofrom : visits)
  for (std::uint32_t i = UINT32_MAX - kCount; i < UINT32_MAX; ++i) {
    visits[1][i - (UINT32_MAX - kCount)].count += 1;
  }
#pragma omp target teams distribute num_teams(kTeams) dist_schedule(static, 3) map(tofrom : visits)
  for (int i = 0; i < kCount; ++i) {
    visits[2][i].count += 1;
    visits[2][i].team = omp_get_team_num();
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(visits[0][i].count, 1);
    CHECK_EQUAL(visits[1][i].count, 1);
    CHECK_EQUAL(visits[2][i].count, 1);
    CHECK_EQUAL(visits[2][i].team, i / 3 % kTeams);
  }
}

/// Loops over all threads of a league, and reductions over them.
static void loops_and_reductions() {
  constexpr int kCount = 1000;
  int visits[kCount] = {};
  long sum = 1;
  int least = INT_MAX;
#pragma omp target teams distribute parallel for num_teams(6) thread_limit(24)                     \
    map(tofrom : visits) reduction(+ : sum) reduction(min : least)
  for (int i = 0; i < kCount; ++i) {
    visits[i] += 1;
    sum += i;
    least = least < i + 3 ? least : i + 3;
  }
  CHECK_EQUAL(std::count(visits, visits + kCount, 1), kCount);
  CHECK_EQUAL(sum, 1 + kCount * (kCount - 1) / 2);
  CHECK_EQUAL(least, 3);

  long inner = 0;
#pragma omp target teams distribute num_teams(5) thread_limit(16) reduction(+ : inner)
  for (int i = 0; i < 20; ++i) {
    long part = 0;
#pragma omp parallel for reduction(+ : part) collapse(2) schedule(dynamic)
    for (int j = 0; j < 10; ++j) {
      for (int k = 0; k < 10; ++k) {
        part += i * j + k;
      }
    }
    inner += part;
  }
  long expected = 0;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 10; ++j) {
      for (int k = 0; k < 10; ++k) {
        expected += i * j + k;
      }
    }
  }
  CHECK_EQUAL(inner, expected);
}

/// All threads of a team, tasks that they leave behind included, know which team it is.
static void teams_are_known_everywhere() {
  constexpr int kTeams = 6;
  constexpr int kThreads = 16;
  int in_threads[kTeams] = {};
  int in_tasks[kTeams] = {};
  int nested[kTeams] = {};
#pragma omp target teams num_teams(kTeams) thread_limit(kThreads)                                  \
    map(tofrom : in_threads, in_tasks, nested)
  {
    const int team = omp_get_team_num();
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp atomic
      in_threads[team] += omp_get_team_num() == team ? 1 : 0;
#ifndef GANTRY_FOR_GPU
#pragma omp task shared(in_tasks)
      {
#pragma omp atomic
        in_tasks[team] += omp_get_team_num() == team && omp_get_num_teams() == kTeams ? 1 : 0;
      }
#endif
#pragma omp parallel num_threads(2) if (0)
      {
#pragma omp atomic
        nested[team] += omp_get_team_num() == team ? 1 : 0;
      }
    }
  }
  for (int team = 0; team < kTeams; ++team) {
    CHECK_EQUAL(in_threads[team], kThreads);
    CHECK_EQUAL(nested[team], kThreads);
#ifndef GANTRY_FOR_GPU
    CHECK_EQUAL(in_tasks[team], kThreads);
#endif
  }
}

/// A region without teams is one team, also behind one that had many.
static void no_league() {
  int teams = 0;
  int sum = 0;
#pragma omp target map(from : teams) map(tofrom : sum)
  {
    teams = omp_get_num_teams();
#pragma omp parallel num_threads(3)
#pragma omp atomic
    sum += 1 + omp_get_team_num();
  }
  CHECK_EQUAL(teams, 1);
  CHECK_EQUAL(sum, 3);
}

/// Threads of the host meet such regions at once, in a parallel region of theirs.
static void from_many_host_threads() {
  int wrong = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  {
    for (int i = 0; i < 3; ++i) {
      int threads = 0;
#pragma omp target teams num_teams(3) thread_limit(40) map(tofrom : threads)
#pragma omp parallel
#pragma omp atomic
      threads += 1;
      wrong += threads == 120 ? 0 : 1;
    }
  }
  CHECK_EQUAL(wrong, 0);
}

int main() {
  check_runs_on_device();
  const int threads = omp_get_max_threads();
  const int levels = omp_get_max_active_levels();
  const int limit = omp_get_thread_limit();
  scan_blocks();
  sort_block();
  large_grid();
  threads_of_a_parallel_construct();
  check_distributions<int>();
  check_distributions<unsigned>();
  check_distributions<long>();
  check_distributions<unsigned long>();
  check_other_distributions();
  loops_and_reductions();
  teams_are_known_everywhere();
  no_league();
  from_many_host_threads();
  // Nothing of it stays with the host.
  CHECK_EQUAL(omp_get_max_threads(), threads);
  CHECK_EQUAL(omp_get_max_active_levels(), levels);
  CHECK_EQUAL(omp_get_thread_limit(), limit);
  int host_threads = 0;
#pragma omp parallel reduction(+ : host_threads)
  host_threads += 1;
  CHECK_EQUAL(host_threads, threads);
  return 0;
}
