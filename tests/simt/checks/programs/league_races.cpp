// Races between the teams of a league, which nothing but atomic operations and locks of the device
// orders, and between regions that run at once.
#include "cases.h"

#include <omp.h>

#pragma omp begin declare target
int counter = 0;
#pragma omp end declare target

namespace {

constexpr int kCount = 1024;

// wrong: race in: 'hits'
CASE(each_team_counts) {
  int hits = 0;
#pragma omp target teams num_teams(8) map(tofrom : hits)
  hits = hits + 1; // here
}

// wrong: race in: 'sum'
CASE(sum_of_a_league) {
  double sum = 0;
#pragma omp target teams distribute map(tofrom : sum) num_teams(8)
  for (int i = 0; i < kCount; ++i) {
    sum += i; // here
  }
}

// wrong: race in: 'last'
CASE(every_team_stores) {
  int last = 0;
#pragma omp target teams distribute parallel for map(from : last) num_teams(8) thread_limit(32)
  for (int i = 0; i < kCount; ++i) {
    if (i % 128 == 0) {
      last = i; // here
    }
  }
}

// wrong: race in: 'cells'
CASE(neighbours_of_other_teams) {
  float cells[kCount] = {};
#pragma omp target teams distribute parallel for map(tofrom : cells) num_teams(8)                  \
    thread_limit(128) schedule(static) dist_schedule(static, 128)
  for (int i = 0; i < kCount - 1; ++i) {
    if (i % 128 == 127) {
      cells[i] = 1; // here
    } else if (i % 128 == 0 && i != 0) {
      cells[i] = cells[i - 1]; // here
    }
  }
}

// wrong: race in: 'out'
CASE(overlapping_results) {
  int in[kCount] = {};
  int out[kCount] = {};
#pragma omp target teams distribute map(to : in) map(tofrom : out) num_teams(8)
  for (int block = 0; block < 8; ++block) {
    for (int i = 0; i <= 128 && block * 128 + i < kCount; ++i) {
      out[block * 128 + i] = in[block * 128 + i]; // here
    }
  }
}

// wrong: race in: 'total'
CASE(team_sums_added_plainly) {
  int total = 0;
#pragma omp target teams num_teams(8) map(tofrom : total)
  {
    int of_team = 0;
#pragma omp parallel for reduction(+ : of_team) num_threads(32)
    for (int i = 0; i < 64; ++i) {
      of_team += i;
    }
    total += of_team; // here
  }
}

// wrong: race in: 'total'
CASE(a_lock_of_each_team) {
  int total = 0;
#pragma omp target teams num_teams(4) map(tofrom : total)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(32)
    {
      omp_set_lock(&lock);
      total += 1; // here
      omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
  }
}

// wrong: race in: 'ready'
CASE(a_flag_without_atomics) {
  int ready = 0;
  int value = 0;
#pragma omp target teams num_teams(2) map(tofrom : ready, value)
  {
    if (omp_get_team_num() == 0) {
#pragma omp atomic write
      value = 42;
      ready = 1;             // here
    } else if (ready != 0) { // here
#pragma omp atomic update
      value += 1;
    }
  }
}

// wrong: race in: 'data'
CASE(data_behind_a_relaxed_flag) {
  int data = 0;
  int flag = 0;
  int seen = 0;
#pragma omp target teams num_teams(2) map(tofrom : data, flag, seen)
  {
    if (omp_get_team_num() == 0) {
      data = 42; // here
#pragma omp atomic write relaxed
      flag = 1;
    } else {
      int is_set = 0;
      for (int i = 0; i < 1000000 && is_set == 0; ++i) {
#pragma omp atomic read relaxed
        is_set = flag;
      }
      seen = data; // here
    }
  }
}

// wrong: race in: 'counter'
CASE(a_counter_of_the_device) {
#pragma omp target teams distribute parallel for num_teams(8) thread_limit(32)
  for (int i = 0; i < kCount; ++i) {
    counter++; // here
  }
}

// wrong: race in: 'most'
CASE(a_maximum_by_hand) {
  int values[kCount] = {};
  for (int i = 0; i < kCount; ++i) {
    values[i] = i;
  }
  int most = 0;
#pragma omp target teams distribute parallel for map(to : values) map(tofrom : most) num_teams(8)
  for (int i = 0; i < kCount; ++i) {
    if (values[i] > most) { // here
      most = values[i];     // here
    }
  }
}

// wrong: race in: 'data'
CASE(unordered_regions) {
  int data[kCount] = {};
#pragma omp target data map(tofrom : data)
  {
#pragma omp target teams distribute parallel for nowait
    for (int i = 0; i < kCount; ++i) {
      data[i] = i; // here
    }
#pragma omp target teams distribute parallel for nowait
    for (int i = 0; i < kCount; ++i) {
      data[i] += 1; // here
    }
#pragma omp taskwait
  }
}

// wrong: race in: 'data'
CASE(a_dependence_on_something_else) {
  int data[kCount] = {};
  int other = 0;
#pragma omp target data map(tofrom : data)
  {
#pragma omp target nowait depend(out : data)
    for (int i = 0; i < kCount; ++i) {
      data[i] = i; // here
    }
#pragma omp target nowait depend(in : other)
    for (int i = 0; i < kCount; ++i) {
      data[i] += 1; // here
    }
#pragma omp taskwait
  }
}

// wrong: race in: 'data'
CASE(writers_that_say_they_read) {
  int data[kCount] = {};
#pragma omp target data map(tofrom : data)
  {
#pragma omp target nowait depend(in : data)
    for (int i = 0; i < kCount; ++i) {
      data[i] = i; // here
    }
#pragma omp target nowait depend(in : data)
    for (int i = 0; i < kCount; ++i) {
      data[i] += 1; // here
    }
#pragma omp taskwait
  }
}

} // namespace
