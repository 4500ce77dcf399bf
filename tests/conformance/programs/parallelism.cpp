// flags: -Wno-pass-failed -Wno-error
// Teams, threads, loops and synchronisation in regions. What they do is the compiler's and libomp's
// work; that they do it on the device is shown here.
#include "conformance.h"

CASE(leagues, "teams.league", "teams.thread_limit") {
  int teams = 0, counted = 0, most_threads = 0;
#pragma omp target teams num_teams(4) thread_limit(2) map(tofrom : teams, counted, most_threads)   \
    reduction(max : most_threads) reduction(+ : counted)
  {
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) {
        most_threads = omp_get_num_threads();
      }
    }
    counted += 1;
    if (omp_get_team_num() == 0) {
      teams = omp_get_num_teams();
    }
  }
  CHECK(teams >= 1 && teams <= 4);
  CHECK_EQUAL(counted, teams);
  CHECK(most_threads >= 1 && most_threads <= 2);
}

CASE(teams_inside_target, "teams.nested") {
  int a[64] = {};
#pragma omp target map(tofrom : a)
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for
  for (int i = 0; i < 64; ++i) {
    a[i] += i + 1;
  }
  CHECK(a[0] == 1 && a[63] == 64);
}

template <typename Loop>
static void check_each_once(Loop&& loop) {
  int counts[97] = {};
  loop(counts);
  for (const int count : counts) {
    CHECK_EQUAL(count, 1);
  }
}

CASE(distribution, "teams.distribute") {
  check_each_once([](int (&counts)[97]) {
#pragma omp target teams distribute map(tofrom : counts)
    for (int i = 0; i < 97; ++i) {
      counts[i] += 1;
    }
  });
  check_each_once([](int (&counts)[97]) {
#pragma omp target teams distribute dist_schedule(static, 5) map(tofrom : counts)
    for (int i = 0; i < 97; ++i) {
      counts[i] += 1;
    }
  });
  check_each_once([](int (&counts)[97]) {
#pragma omp target teams distribute parallel for simd dist_schedule(static, 8) map(tofrom : counts)
    for (int i = 96; i >= 0; --i) {
      counts[i] += 1;
    }
  });
}

CASE(schedules, "loop.schedules") {
  check_each_once([](int (&counts)[97]) {
#pragma omp target parallel for schedule(static, 3) map(tofrom : counts)
    for (int i = 0; i < 97; ++i) {
      counts[i] += 1;
    }
  });
  check_each_once([](int (&counts)[97]) {
#pragma omp target parallel for schedule(dynamic, 4) map(tofrom : counts)
    for (int i = 0; i < 97; ++i) {
      counts[i] += 1;
    }
  });
  check_each_once([](int (&counts)[97]) {
#pragma omp target parallel for schedule(guided) map(tofrom : counts)
    for (int i = 0; i < 97; ++i) {
      counts[i] += 1;
    }
  });
  check_each_once([](int (&counts)[97]) {
#pragma omp target teams distribute parallel for schedule(auto) map(tofrom : counts)
    for (int i = 0; i < 97; ++i) {
      counts[i] += 1;
    }
  });
  check_each_once([](int (&counts)[97]) {
#pragma omp target parallel for schedule(runtime) map(tofrom : counts)
    for (int i = 0; i < 97; ++i) {
      counts[i] += 1;
    }
  });
}

CASE(collapsed_loops, "loop.collapse") {
  int a[7][5][3] = {};
#pragma omp target teams distribute parallel for collapse(3) map(tofrom : a)
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 3; ++k) {
        a[i][j][k] += 100 * i + 10 * j + k;
      }
    }
  }
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 3; ++k) {
        CHECK_EQUAL(a[i][j][k], 100 * i + 10 * j + k);
      }
    }
  }
}

CASE(ordered_loops, "loop.ordered") {
  int order[20] = {};
  int next = 0;
#pragma omp target parallel for ordered map(tofrom : order, next)
  for (int i = 0; i < 20; ++i) {
#pragma omp ordered
    order[next++] = i;
  }
  for (int i = 0; i < 20; ++i) {
    CHECK_EQUAL(order[i], i);
  }
}

CASE(the_loop_construct, "loop.construct") {
  check_each_once([](int (&counts)[97]) {
#pragma omp target teams loop map(tofrom : counts)
    for (int i = 0; i < 97; ++i) {
      counts[i] += 1;
    }
  });
  check_each_once([](int (&counts)[97]) {
#pragma omp target parallel loop map(tofrom : counts)
    for (int i = 0; i < 97; ++i) {
      counts[i] += 1;
    }
  });
}

CASE(sections_and_single, "loop.sections") {
  int a = 0, b = 0, c = 0;
#pragma omp target parallel map(tofrom : a, b, c)
  {
#pragma omp sections
    {
#pragma omp section
      a = 1;
#pragma omp section
      b = 2;
    }
#pragma omp single
    c += 3;
  }
  CHECK(a == 1 && b == 2 && c == 3);
}

CASE(simd_loops, "loop.simd") {
  float a[100];
#pragma omp target simd simdlen(4) safelen(8) map(from : a)
  for (int i = 0; i < 100; ++i) {
    a[i] = 0.5F * i;
  }
  CHECK(a[99] == 49.5F);
}

CASE(parallel_regions, "parallel.region", "parallel.num_threads", "routine.in-regions") {
  int threads = 0, counted = 0, in_parallel = 0, level = -1;
#pragma omp target map(tofrom : threads, counted, in_parallel, level)
  {
    level = omp_get_level();
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
      counted += 1;
      if (omp_get_thread_num() == 0) {
        threads = omp_get_num_threads();
        in_parallel = omp_in_parallel();
      }
    }
  }
  CHECK(threads >= 1 && threads <= 2);
  CHECK_EQUAL(counted, threads);
  CHECK_EQUAL(in_parallel, threads > 1);
  CHECK_EQUAL(level, 0);
}

CASE(nested_parallel_regions, "parallel.nested") {
  int counted = 0;
#pragma omp target parallel num_threads(2) map(tofrom : counted)
#pragma omp parallel num_threads(2)
#pragma omp atomic
  counted += 1;
  CHECK(counted >= 1 && counted <= 4);
}

CASE(if_clauses_of_combined_constructs, "parallel.if") {
  int threads = 0;
  int on_host = -1;
#pragma omp target parallel if (parallel : false) if (target : true) num_threads(4)                \
    map(tofrom : threads) map(from : on_host)
  {
    threads += 1;
    on_host = omp_is_initial_device();
  }
  CHECK_EQUAL(threads, 1);
  CHECK_EQUAL(on_host, 0);
#pragma omp target parallel if (target : false) num_threads(1) map(from : on_host)
  on_host = omp_is_initial_device();
  CHECK_EQUAL(on_host, 1);
}

CASE(critical_sections, "sync.critical") {
  int counted = 0;
#pragma omp target teams distribute parallel for num_teams(1) map(tofrom : counted)
  for (int i = 0; i < 500; ++i) {
#pragma omp critical(counting)
    counted += 1;
  }
  CHECK_EQUAL(counted, 500);
}

CASE(atomics, "sync.atomic") {
  int updated = 0, maximum = 0, written = 0;
  double sum = 0;
  int captured[200] = {};
#pragma omp target teams distribute parallel for map(tofrom : updated, maximum, written, sum,      \
                                                         captured)
  for (int i = 0; i < 200; ++i) {
    int old = 0;
#pragma omp atomic capture
    old = updated++;
#pragma omp atomic update
    captured[old] += 1;
#pragma omp atomic
    sum += 0.5;
#pragma omp atomic compare
    if (maximum < i) {
      maximum = i;
    }
#pragma omp atomic write
    written = 7;
    int read = 0;
#pragma omp atomic read
    read = written;
    if (read != 7) {
#pragma omp atomic update
      updated += 1000;
    }
  }
  CHECK(updated == 200 && sum == 100 && maximum == 199 && written == 7);
  for (const int count : captured) {
    CHECK_EQUAL(count, 1);
  }
}

CASE(barriers, "sync.barrier") {
  int before = 0;
  bool right = true;
#pragma omp target parallel num_threads(4) map(tofrom : before, right)
  {
#pragma omp atomic
    before += 1;
#pragma omp barrier
    if (before != omp_get_num_threads()) {
#pragma omp atomic write
      right = false;
    }
#pragma omp barrier
#pragma omp masked
    before = -1;
  }
  CHECK(right && before == -1);
}

CASE(tasks_in_regions, "sync.tasks") {
  int sum = 0;
  int loop = 0;
#pragma omp target map(tofrom : sum, loop)
#pragma omp parallel
#pragma omp single
  {
    int first = 0, second = 0;
#pragma omp task shared(first) depend(out : first)
    first = 3;
#pragma omp task shared(first, second) depend(in : first) depend(out : second)
    second = first * 10;
#pragma omp taskwait
    sum = first + second;
#pragma omp taskloop reduction(+ : loop)
    for (int i = 0; i < 10; ++i) {
      loop += i;
    }
  }
  CHECK(sum == 33 && loop == 45);
}

CASE(locks, "sync.locks") {
  int counted = 0;
#pragma omp target map(tofrom : counted)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel for
    for (int i = 0; i < 300; ++i) {
      omp_set_lock(&lock);
      counted += 1;
      omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
  }
  CHECK_EQUAL(counted, 300);
}

CASE(every_combined_construct, "combined.constructs") {
  constexpr int kCount = 24;
  int a[kCount] = {};
#define ADD                                                                                        \
  for (int i = 0; i < kCount; ++i) {                                                               \
    a[i] += 1;                                                                                     \
  }
#pragma omp target simd map(tofrom : a)
  ADD
#pragma omp target parallel for map(tofrom : a)
      ADD
#pragma omp target parallel for simd map(tofrom : a)
          ADD
#pragma omp target parallel loop map(tofrom : a)
              ADD
#pragma omp target teams distribute map(tofrom : a)
                  ADD
#pragma omp target teams distribute simd map(tofrom : a)
                      ADD
#pragma omp target teams distribute parallel for map(tofrom : a)
                          ADD
#pragma omp target teams distribute parallel for simd map(tofrom : a)
                              ADD
#pragma omp target teams loop map(tofrom : a)
                                  ADD
#undef ADD
      for (const int x : a) {
    CHECK_EQUAL(x, 9);
  }
  int counted = 0;
#pragma omp target parallel num_threads(2) map(tofrom : counted)
#pragma omp atomic
  counted += 1;
#pragma omp target teams num_teams(1) map(tofrom : counted)
  counted += 10;
  CHECK(counted == 11 || counted == 12);
}

CASE(loop_bounds, "combined.trip-count") {
  long sum = 0;
  for (int n = 0; n < 3; ++n) {
#pragma omp target teams distribute parallel for reduction(+ : sum)
    for (int i = 0; i < n; ++i) {
      sum += 1;
    }
  }
  CHECK_EQUAL(sum, 3);
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (long i = 3000000000L; i < 3000000100L; i += 7) {
    sum += i - 3000000000L;
  }
  CHECK_EQUAL(sum, 3 + 7 * 105);
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (unsigned char c = 250; c > 240; --c) {
    sum += c;
  }
  CHECK_EQUAL(sum, 3 + 735 + 2455);
}

#ifdef __clang__ // GCC 12 has no metadirective
static int on_device_or_host() {
  int chosen = 0;
#pragma omp metadirective when(device = {kind(gpu)} : parallel num_threads(1)) default(nothing)
  chosen = 1;
  return chosen;
}

int version_for_gpus();
int version_for_gpus() {
  return 2;
}
#pragma omp declare variant(version_for_gpus) match(device = {kind(gpu)})
int version();
int version() {
  return 1;
}

CASE(contexts, "metadirective.target") {
  int seen = 0;
#pragma omp target map(from : seen)
  seen = on_device_or_host() + 10 * version();
  CHECK_EQUAL(seen % 10, 1);
  CHECK(seen / 10 == 1 || seen / 10 == 2);
}
#endif

#if __clang_major__ >= 22 // Clang 19 has no assume directive
CASE(assumptions, "assumes.clauses") {
  int a[10] = {};
#pragma omp assume no_openmp_routines
  {
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int i = 0; i < 10; ++i) {
      a[i] = i;
    }
  }
  CHECK_EQUAL(a[9], 9);
}
#endif

CASE(scans, "scan.inclusive") {
  int a[50];
  int sum = 0;
#pragma omp target map(from : a) map(tofrom : sum)
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < 50; ++i) {
    sum += i;
#pragma omp scan inclusive(sum)
    a[i] = sum;
  }
  CHECK(a[0] == 0 && a[49] == 1225 && a[10] == 55);
}
