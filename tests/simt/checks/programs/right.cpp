// What looks like the wrong cases and is right: nothing may be reported.
#include "cases.h"

#include <omp.h>

#pragma omp begin declare target
int counter = 0;
omp_lock_t lock_of_all;

// Between teams; a region may not contain it directly.
static void flush() {
#pragma omp flush
}
#pragma omp end declare target

namespace {

constexpr int kCount = 1024;

// right
CASE(reduction_of_a_team) {
  int sum = 0;
#pragma omp target parallel for reduction(+ : sum) num_threads(64)
  for (int i = 0; i < kCount; ++i) {
    sum += i;
  }
  expect(sum == kCount * (kCount - 1) / 2, "sum");
}

// right
CASE(reduction_of_a_league) {
  double sum = 0;
  int most = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) reduction(max : most)          \
    num_teams(8)
  for (int i = 0; i < kCount; ++i) {
    sum += i;
    most = most < i ? i : most;
  }
  expect(sum == kCount * (kCount - 1) / 2 && most == kCount - 1, "sum and maximum");
}

// right
CASE(atomic_counter) {
  int hits = 0;
#pragma omp target teams distribute parallel for map(tofrom : hits) num_teams(8)
  for (int i = 0; i < kCount; ++i) {
#pragma omp atomic
    ++hits;
  }
  expect(hits == kCount, "hits");
}

// right
CASE(histogram) {
  int bins[16] = {};
#pragma omp target teams distribute parallel for map(tofrom : bins) num_teams(8)
  for (int i = 0; i < kCount; ++i) {
#pragma omp atomic update
    bins[i % 16] += 1;
  }
  expect(bins[3] == kCount / 16, "bins");
}

// right
CASE(critical_of_a_league) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum) num_teams(8) thread_limit(32)
  for (int i = 0; i < 256; ++i) {
#pragma omp critical
    sum += i;
  }
  expect(sum == 256 * 255 / 2, "sum");
}

// right
CASE(a_lock_of_the_device) {
  int sum = 0;
#pragma omp target
  omp_init_lock(&lock_of_all);
#pragma omp target teams distribute parallel for map(tofrom : sum) num_teams(4) thread_limit(32)
  for (int i = 0; i < 256; ++i) {
    omp_set_lock(&lock_of_all);
    sum += 1;
    omp_unset_lock(&lock_of_all);
  }
  expect(sum == 256, "sum");
}

// right
CASE(locks_of_parts) {
  int sums[4] = {};
  omp_lock_t locks[4];
#pragma omp target map(tofrom : sums) map(alloc : locks)
  {
    for (omp_lock_t& lock : locks) {
      omp_init_lock(&lock);
    }
#pragma omp parallel for num_threads(64)
    for (int i = 0; i < 256; ++i) {
      omp_set_lock(&locks[i % 4]);
      sums[i % 4] += 1;
      omp_unset_lock(&locks[i % 4]);
    }
  }
  expect(sums[2] == 64, "sums");
}

// right
CASE(barriers_between_steps) {
  int a[64] = {};
  int b[64] = {};
#pragma omp target parallel map(tofrom : a, b) num_threads(64)
  {
    const int thread = omp_get_thread_num();
    for (int step = 0; step < 40; ++step) {
      a[thread] = thread + step;
#pragma omp barrier
      b[thread] = a[63 - thread];
#pragma omp barrier
    }
  }
  expect(b[0] == 63 + 39, "b");
}

// right
CASE(single_and_copyprivate) {
  int out[64] = {};
#pragma omp target parallel map(tofrom : out) num_threads(64)
  {
    int value = 0;
#pragma omp single copyprivate(value)
    value = 42;
    out[omp_get_thread_num()] = value;
  }
  expect(out[63] == 42, "out");
}

// right
CASE(a_table_of_the_team) {
  int out[4] = {};
#pragma omp target teams num_teams(4) map(tofrom : out)
  {
    int table[64];
#pragma omp parallel num_threads(64)
    {
      const int thread = omp_get_thread_num();
      table[thread] = thread;
#pragma omp barrier
      if (thread == 0) {
        out[omp_get_team_num()] = table[63];
      }
    }
  }
  expect(out[3] == 63, "out");
}

// right
CASE(disjoint_parts_of_teams) {
  float cells[kCount] = {};
#pragma omp target teams distribute map(tofrom : cells) num_teams(8)
  for (int part = 0; part < 8; ++part) {
#pragma omp parallel for num_threads(32)
    for (int i = 1; i < kCount / 8; ++i) {
      cells[part * (kCount / 8) + i] = static_cast<float>(i);
    }
    cells[part * (kCount / 8)] = cells[part * (kCount / 8) + 1];
  }
  expect(cells[kCount - 1] == kCount / 8 - 1, "cells");
}

// right
CASE(bytes_beside_each_other) {
  char marks[kCount] = {};
  short numbers[kCount] = {};
#pragma omp target teams distribute parallel for map(tofrom : marks, numbers) num_teams(8)
  for (int i = 0; i < kCount; ++i) {
    marks[i] = static_cast<char>(i % 7);
    numbers[i] = static_cast<short>(i + marks[i]);
  }
  expect(marks[kCount - 1] == (kCount - 1) % 7, "marks");
}

struct Particle {
  char kind;
  double mass;
  float speed;
};

// right
CASE(members_of_different_threads) {
  Particle particles[32] = {};
#pragma omp target parallel for map(tofrom : particles) num_threads(96) schedule(static, 1)
  for (int i = 0; i < 96; ++i) {
    Particle& one = particles[i % 32];
    if (i / 32 == 0) {
      one.kind = 'a';
    } else if (i / 32 == 1) {
      one.mass = i;
    } else {
      one.speed = static_cast<float>(i);
    }
  }
  expect(particles[31].kind == 'a' && particles[31].mass == 63 && particles[31].speed == 95,
         "particles");
}

// right
CASE(a_release_and_an_acquire) {
  int data = 0;
  int flag = 0;
  int seen = 0;
#pragma omp target teams num_teams(2) map(tofrom : data, flag, seen)
  {
    if (omp_get_team_num() == 0) {
      data = 42;
#pragma omp atomic write release
      flag = 1;
    } else {
      int is_set = 0;
      for (int i = 0; i < 1000000 && is_set == 0; ++i) {
#pragma omp atomic read acquire
        is_set = flag;
      }
      if (is_set != 0) {
        seen = data;
      }
    }
  }
  expect(seen == 42 || seen == 0, "seen");
}

// right
CASE(flushes_around_a_flag) {
  int data[32] = {};
  int flag = 0;
  int seen = 0;
#pragma omp target teams num_teams(2) map(tofrom : data, flag, seen)
  {
    if (omp_get_team_num() == 0) {
#pragma omp parallel for num_threads(32)
      for (int i = 0; i < 32; ++i) {
        data[i] = i;
      }
      flush();
#pragma omp atomic write
      flag = 1;
    } else {
      int is_set = 0;
      for (int i = 0; i < 1000000 && is_set == 0; ++i) {
#pragma omp atomic read
        is_set = flag;
      }
      flush();
      if (is_set != 0) {
        seen = data[31];
      }
    }
  }
  expect(seen == 31 || seen == 0, "seen");
}

// right
CASE(the_last_team_adds) {
  int sums[16] = {};
  int total = 0;
  int done = 0;
#pragma omp target teams num_teams(16) map(alloc : sums) map(tofrom : total, done)
  {
    int of_team = 0;
#pragma omp parallel for reduction(+ : of_team) num_threads(32)
    for (int i = 0; i < 64; ++i) {
      of_team += i;
    }
    sums[omp_get_team_num()] = of_team;
    int place = 0;
    flush(); // Clang's code for atomic operations that update has no order, whatever clause they
             // have
#pragma omp atomic capture acq_rel
    place = done++;
    flush();
    if (place == omp_get_num_teams() - 1) {
      for (int team = 0; team < omp_get_num_teams(); ++team) {
        total += sums[team];
      }
      done = 0;
    }
  }
  expect(total == 16 * 64 * 63 / 2, "total");
}

// right
CASE(dependent_regions) {
  int data[kCount] = {};
#pragma omp target data map(tofrom : data)
  {
#pragma omp target teams distribute parallel for nowait depend(out : data)
    for (int i = 0; i < kCount; ++i) {
      data[i] = i;
    }
#pragma omp target teams distribute parallel for nowait depend(inout : data)
    for (int i = 0; i < kCount; ++i) {
      data[i] += 1;
    }
#pragma omp taskwait
  }
  expect(data[kCount - 1] == kCount, "data");
}

// right
CASE(regions_with_halves) {
  int data[kCount] = {};
  int common[4] = {1, 2, 3, 4};
#pragma omp target data map(tofrom : data) map(to : common)
  {
#pragma omp target teams distribute parallel for nowait
    for (int i = 0; i < kCount / 2; ++i) {
      data[i] = common[i % 4];
    }
#pragma omp target teams distribute parallel for nowait
    for (int i = kCount / 2; i < kCount; ++i) {
      data[i] = common[i % 4];
    }
#pragma omp taskwait
#pragma omp target teams distribute parallel for
    for (int i = 0; i < kCount; ++i) {
      data[i] += data[kCount - 1 - i] * 0;
    }
  }
  expect(data[kCount - 1] == 4, "data");
}

// right
CASE(two_arrays_in_turns) {
  float a[kCount] = {};
  float b[kCount] = {};
#pragma omp target data map(tofrom : a, b)
  for (int step = 0; step < 6; ++step) {
    float* const from = step % 2 == 0 ? a : b;
    float* const to = step % 2 == 0 ? b : a;
#pragma omp target teams distribute parallel for map(from[0 : kCount], to[0 : kCount]) num_teams(8)
    for (int i = 1; i < kCount - 1; ++i) {
      to[i] = from[i - 1] + from[i] + from[i + 1] + 1;
    }
  }
  expect(a[500] != 0, "a");
}

// right
CASE(written_before_it_is_read) {
  int scratch[kCount];
  int out[kCount];
#pragma omp target teams distribute parallel for map(alloc : scratch) map(from : out) num_teams(8)
  for (int i = 0; i < kCount; ++i) {
    scratch[i] = i;
    out[i] = scratch[i] * 2;
  }
  expect(out[kCount - 1] == 2 * (kCount - 1), "out");
}

// right
CASE(updated_parts) {
  double data[kCount] = {};
  for (double& one : data) {
    one = 2;
  }
  double sum = 0;
#pragma omp target enter data map(alloc : data)
#pragma omp target update to(data[0 : kCount / 2])
#pragma omp target map(tofrom : sum)
  for (int i = 0; i < kCount / 2; ++i) {
    sum += data[i];
  }
#pragma omp target exit data map(delete : data)
  expect(sum == kCount, "sum");
}

// right
CASE(a_counter_of_the_device) {
#pragma omp target teams num_teams(8)
  {
#pragma omp atomic
    counter += 1;
  }
#pragma omp target update from(counter)
  expect(counter == 8, "counter");
}

// Copies go through memory of the host, which has had copies of what has no value before.
// right
CASE(no_value_copied_back) {
  int sum = 0;
  for (int times = 0; times < 4; ++times) {
    int first[kCount] = {};
    int second[kCount] = {};
#pragma omp target map(from : first, second)
    {
    }
#pragma omp target map(to : first, second) map(tofrom : sum)
    for (int i = 0; i < kCount; ++i) {
      sum += first[i] + second[i];
    }
  }
}

} // namespace
