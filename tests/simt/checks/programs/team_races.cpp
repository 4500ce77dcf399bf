// Races between the threads of one team.
#include "cases.h"

#include <omp.h>

namespace {

constexpr int kCount = 256;

// wrong: race in: 'sum'
CASE(sum_without_reduction) {
  int values[kCount] = {};
  int sum = 0;
#pragma omp target parallel for map(to : values) map(tofrom : sum) num_threads(64)
  for (int i = 0; i < kCount; ++i) {
    sum += values[i]; // here
  }
}

// wrong: race in: 'values'
CASE(loop_carried) {
  int values[kCount] = {1};
#pragma omp target parallel for map(tofrom : values) num_threads(64)
  for (int i = 1; i < kCount; ++i) {
    values[i] = values[i - 1] + 1; // here
  }
}

// wrong: race in: 'values'
CASE(shifted_in_place) {
  double values[kCount] = {};
#pragma omp target parallel for map(tofrom : values) num_threads(64) schedule(static, 1)
  for (int i = 0; i < kCount - 1; ++i) {
    values[i] = values[i + 1]; // here
  }
}

// wrong: race in: 'squares'
CASE(loops_without_barrier) {
  int squares[kCount] = {};
  int mirrored[kCount] = {};
#pragma omp target parallel map(tofrom : squares, mirrored) num_threads(64)
  {
#pragma omp for nowait
    for (int i = 0; i < kCount; ++i) {
      squares[i] = i * i; // here
    }
#pragma omp for
    for (int i = 0; i < kCount; ++i) {
      mirrored[i] = squares[kCount - 1 - i]; // here
    }
  }
}

// wrong: race in: 'limit'
CASE(single_without_barrier) {
  int limit = 0;
  int hits[kCount] = {};
#pragma omp target parallel map(tofrom : limit, hits) num_threads(64)
  {
#pragma omp single nowait
    limit = 7; // here
#pragma omp for
    for (int i = 0; i < kCount; ++i) {
      hits[i] = i < limit; // here
    }
  }
}

// wrong: race in: 'factor'
CASE(masked_has_no_barrier) {
  int factor = 0;
  int scaled[kCount] = {};
#pragma omp target parallel map(tofrom : factor, scaled) num_threads(64)
  {
#pragma omp masked
    factor = 3;                            // here
    scaled[omp_get_thread_num()] = factor; // here
  }
}

// wrong: race in: 'swap'
CASE(shared_temporary) {
  int a[kCount] = {};
  int b[kCount] = {};
  int swap = 0;
#pragma omp target parallel for map(tofrom : a, b, swap) num_threads(64)
  for (int i = 0; i < kCount; ++i) {
    swap = a[i]; // here
    a[i] = b[i];
    b[i] = swap; // here
  }
}

// wrong: race in: 'best'
CASE(read_beside_critical) {
  int best = 0;
#pragma omp target parallel for map(tofrom : best) num_threads(64)
  for (int i = 0; i < kCount; ++i) {
    if (i > best) { // here
#pragma omp critical
      if (i > best) { // here
        best = i;     // here
      }
    }
  }
}

// wrong: race in: 'total'
CASE(two_criticals) {
  int total = 0;
#pragma omp target parallel map(tofrom : total) num_threads(64)
  {
#pragma omp critical(first)
    total += 1; // here
#pragma omp critical(second)
    total += 2; // here
  }
}

// wrong: race in: 'count'
CASE(atomic_beside_plain) {
  int count = 0;
  int order[kCount] = {};
#pragma omp target parallel for map(tofrom : count, order) num_threads(64)
  for (int i = 0; i < kCount; ++i) {
#pragma omp atomic
    ++count;          // here
    order[i] = count; // here
  }
}

// wrong: race in: 'bins'
CASE(histogram_without_atomic) {
  int bins[8] = {};
#pragma omp target parallel for map(tofrom : bins) num_threads(64)
  for (int i = 0; i < kCount; ++i) {
    bins[i % 8]++; // here
  }
}

// wrong: race in: 'result'
CASE(sections_share_a_result) {
  int result = 0;
  int copy = 0;
#pragma omp target parallel map(tofrom : result, copy) num_threads(64)
  {
#pragma omp sections
    {
#pragma omp section
      result = 1; // here
#pragma omp section
      copy = result; // here
    }
  }
}

// wrong: race in: 'marks'
CASE(bytes_of_two_threads) {
  char marks[kCount] = {};
#pragma omp target parallel for map(tofrom : marks) num_threads(64) schedule(static, 1)
  for (int i = 0; i < kCount; ++i) {
    marks[i % 16] = static_cast<char>(i); // here
  }
}

// wrong: race in: 'total'
CASE(a_lock_for_each_thread) {
  int total = 0;
#pragma omp target parallel map(tofrom : total) num_threads(64)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    total += 1; // here
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
  }
}

// wrong: race in: 'sums'
CASE(the_wrong_lock) {
  int sums[3] = {};
  omp_lock_t locks[4];
#pragma omp target map(tofrom : sums) map(alloc : locks)
  {
    for (omp_lock_t& lock : locks) {
      omp_init_lock(&lock);
    }
#pragma omp parallel for num_threads(64)
    for (int i = 0; i < kCount; ++i) {
      omp_set_lock(&locks[i % 4]);
      sums[i % 3] += i; // here
      omp_unset_lock(&locks[i % 4]);
    }
  }
}

// wrong: race in shared memory: 'table
CASE(a_table_of_the_team) {
  int out[4] = {};
#pragma omp target teams num_teams(4) map(tofrom : out)
  {
    int table[64] = {};
#pragma omp parallel num_threads(64)
    {
      const int thread = omp_get_thread_num();
      table[thread] = thread;              // here
      table[thread] += table[63 - thread]; // here
    }
    out[omp_get_team_num()] = table[0];
  }
}

// wrong: race in shared memory: 'sum
CASE(a_team_sum) {
  int values[kCount] = {};
  int out[4] = {};
#pragma omp target teams num_teams(4) map(to : values) map(tofrom : out)
  {
    int sum = 0;
#pragma omp parallel for num_threads(64)
    for (int i = 0; i < kCount; ++i) {
      sum += values[i]; // here
    }
    out[omp_get_team_num()] = sum;
  }
}

} // namespace
