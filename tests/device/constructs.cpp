// Each construct in the three ways that a GPU's code may be made for it: SPMD (combined with the
// region), generic (beside other statements), nested in another parallel region. The program's
// arguments are the numbers of teams and of threads; every result is checked on the host.
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

namespace {

int teams = 1;
int threads = 1;
constexpr int kCount = 10007; // a prime: no schedule divides it

struct Sum {
  long value = 0;
  int count = 0;
};
#pragma omp declare reduction(add:Sum : omp_out.value += omp_in.value,                             \
                                  omp_out.count += omp_in.count) initializer(omp_priv = Sum{})

struct Large {
  double parts[20] = {};
};
#pragma omp declare target
inline void add_large(Large& into, const Large& from) {
  for (int i = 0; i < 20; ++i) {
    into.parts[i] += from.parts[i];
  }
}
#pragma omp end declare target
#pragma omp declare reduction(add:Large : add_large(omp_out, omp_in))                              \
    initializer(omp_priv = Large{})

long sum_to(long last) {
  return last * (last + 1) / 2;
}

void check_all(const std::vector<int>& values, int factor) {
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(values[i], factor * i + 1);
  }
}

// ---- SPMD

void spmd_loops() {
  std::vector<int> values(kCount);
  int* const data = values.data();
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads)            \
    map(from : data[0 : kCount])
  for (int i = 0; i < kCount; ++i) {
    data[i] = 2 * i + 1;
  }
  check_all(values, 2);
#pragma omp target teams distribute parallel for dist_schedule(static, 7) schedule(static, 3)      \
    num_teams(teams) num_threads(threads) map(from : data[0 : kCount])
  for (int i = kCount - 1; i >= 0; --i) {
    data[i] = 3 * i + 1;
  }
  check_all(values, 3);
#pragma omp target parallel for schedule(dynamic, 5) num_threads(threads)                          \
    map(from : data[0 : kCount])
  for (int i = 0; i < kCount; ++i) {
    data[i] = 4 * i + 1;
  }
  check_all(values, 4);
#pragma omp target parallel for schedule(guided) num_threads(threads) map(from : data[0 : kCount])
  for (int i = 0; i < kCount; ++i) {
    data[i] = 5 * i + 1;
  }
  check_all(values, 5);
#pragma omp target parallel for simd collapse(2) num_threads(threads) map(from : data[0 : kCount])
  for (int i = 0; i < 1; ++i) {
    for (int j = 0; j < kCount; ++j) {
      data[j] = 6 * j + 1;
    }
  }
  check_all(values, 6);
#pragma omp target teams loop num_teams(teams) map(from : data[0 : kCount])
  for (int i = 0; i < kCount; ++i) {
    data[i] = 7 * i + 1;
  }
  check_all(values, 7);
}

void spmd_reductions() {
  long sum = 5;
  double product = 1;
  int smallest = 1000000, largest = -1;
  unsigned bits = 0;
#pragma omp target teams distribute parallel for num_teams(teams) num_threads(threads)             \
    reduction(+ : sum) reduction(* : product) reduction(min : smallest) reduction(max : largest)   \
    reduction(| : bits)
  for (int i = 0; i < kCount; ++i) {
    sum += i;
    product *= i % 1000 == 0 ? 2 : 1;
    smallest = i < smallest ? i : smallest;
    largest = i > largest ? i : largest;
    bits |= 1U << (i % 31);
  }
  CHECK_EQUAL(sum, 5 + sum_to(kCount - 1));
  CHECK_EQUAL(product, 2048);
  CHECK_EQUAL(smallest, 0);
  CHECK_EQUAL(largest, kCount - 1);
  CHECK_EQUAL(bits, 0x7FFFFFFFU);

  Sum own;
  Large large;
#pragma omp target teams distribute parallel for num_teams(teams) num_threads(threads)             \
    reduction(add : own, large)
  for (int i = 0; i < kCount; ++i) {
    own.value += i;
    ++own.count;
    large.parts[i % 20] += 1;
  }
  CHECK_EQUAL(own.value, sum_to(kCount - 1));
  CHECK_EQUAL(own.count, kCount);
  double total = 0;
  for (const double part : large.parts) {
    total += part;
  }
  CHECK_EQUAL(total, kCount);

  int histogram[10] = {};
#pragma omp target parallel for num_threads(threads) reduction(+ : histogram)
  for (int i = 0; i < kCount; ++i) {
    ++histogram[i % 10];
  }
  for (int i = 0; i < 10; ++i) {
    CHECK_EQUAL(histogram[i], kCount / 10 + (i < kCount % 10 ? 1 : 0));
  }
}

void spmd_synchronisation() {
  int count = 0, protectedly = 0, once = 0, master = 0, team_size = 0, wrong = 0;
#pragma omp target parallel num_threads(threads)                                                   \
    map(tofrom : count, protectedly, once, master, team_size, wrong)
  {
#pragma omp atomic
    ++count;
#pragma omp critical
    ++protectedly;
#pragma omp barrier
    if (count != omp_get_num_threads()) {
#pragma omp atomic write
      wrong = 1;
    }
#pragma omp single
    ++once;
#pragma omp masked
    ++master;
    if (omp_get_thread_num() == 0) {
      team_size = omp_get_num_threads();
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp atomic
        once += 10;
      }
#pragma omp section
      {
#pragma omp atomic
        once += 100;
      }
    }
  }
  CHECK(team_size >= 1 && team_size <= threads);
  CHECK_EQUAL(count, team_size);
  CHECK_EQUAL(protectedly, team_size);
  CHECK_EQUAL(once, 111);
  CHECK_EQUAL(master, 1);
  CHECK_EQUAL(wrong, 0);
}

[[maybe_unused]] void spmd_ordered() {
  int order[100] = {}, next = 0;
#pragma omp target parallel for ordered schedule(dynamic) num_threads(threads)                     \
    map(tofrom : order, next)
  for (int i = 0; i < 100; ++i) {
#pragma omp ordered
    order[next++] = i;
  }
  for (int i = 0; i < 100; ++i) {
    CHECK_EQUAL(order[i], i);
  }
}

// ---- generic

void generic_loops() {
  std::vector<int> values(kCount);
  int* const data = values.data();
  int before = 0, after = 0;
#pragma omp target teams num_teams(teams) thread_limit(threads) map(from : data[0 : kCount])       \
    map(tofrom : before, after)
  {
#pragma omp atomic
    ++before;
    int factor = 2; // shared with the workers
#pragma omp distribute
    for (int block = 0; block < kCount; block += 100) {
      const int end = block + 100 < kCount ? block + 100 : kCount;
#pragma omp parallel for num_threads(threads)
      for (int i = block; i < end; ++i) {
        data[i] = factor * i + 1;
      }
    }
#pragma omp atomic
    ++after;
  }
  check_all(values, 2);
  CHECK(before >= 1 && before <= teams && before == after);

#pragma omp target map(from : data[0 : kCount]) thread_limit(threads)
  {
    int factor = 0;
    for (int round = 0; round < 3; ++round) {
      ++factor;
#pragma omp parallel for schedule(dynamic, 11) num_threads(threads)
      for (int i = 0; i < kCount; ++i) {
        data[i] = factor * i + 1;
      }
    }
  }
  check_all(values, 3);
}

// What the initial thread alone changes decides what all do next: nobody may see it early, where
// the optimiser lets all threads of the team execute what is outside of the parallel regions.
void generic_decisions() {
  int level = 0, size = 0;
  int seen[8] = {};
#pragma omp target map(tofrom : level, size, seen) thread_limit(threads)
  {
    for (int round = 0; round < 10; ++round) {
      if (level < 5) {
        ++level;
#pragma omp parallel num_threads(threads)
        {
          if (omp_get_thread_num() == 0) {
            size = omp_get_num_threads();
          }
#pragma omp atomic
          ++seen[level];
        }
      }
    }
  }
  CHECK_EQUAL(level, 5);
  for (int i = 0; i < 8; ++i) {
    CHECK_EQUAL(seen[i], i >= 1 && i <= 5 ? size : 0);
  }
}

// A region may write what is read in front of it: nobody may come to it early.
void generic_sequences() {
  int level = 0;
  int rounds[1024] = {};
#pragma omp target map(tofrom : level, rounds) thread_limit(threads)
  while (level < 10) {
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      ++rounds[thread];
      if (thread == 0) {
        ++level;
      }
    }
  }
  CHECK_EQUAL(level, 10);
  for (const int count : rounds) {
    CHECK(count == 10 || count == 0);
  }

  constexpr int kRows = 16, kColumns = 256;
  std::vector<double> matrix(static_cast<std::size_t>(kRows) * kColumns);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] = 2.0 + static_cast<double>(i / kColumns);
  }
  double* const data = matrix.data();
#pragma omp target teams distribute num_teams(teams) thread_limit(threads)                         \
    map(tofrom : data[0 : kRows * kColumns])
  for (int row = 0; row < kRows; ++row) {
    const double first = data[row * kColumns];
#pragma omp parallel for firstprivate(first)
    for (int column = 0; column < kColumns; ++column) {
      data[row * kColumns + column] /= first;
    }
  }
  for (const double value : matrix) {
    CHECK(value == 1);
  }
}

// A region of one thread is one thread's, in kernels of all kinds.
void inactive_regions() {
  const bool never = threads < 0;
  int once = 0, size = 0, in_team = 0, in_sequence = 0;
  int values[64] = {};
#pragma omp target parallel if (parallel : never) map(tofrom : once, size)
  {
    ++once;
    size = omp_get_num_threads();
  }
#pragma omp target firstprivate(never) map(tofrom : in_team)
#pragma omp parallel if (never)
  ++in_team;
#pragma omp target firstprivate(never) map(tofrom : in_sequence, values) thread_limit(threads)
  {
#pragma omp parallel if (never)
    {
#pragma omp atomic
      ++in_sequence;
    }
#pragma omp parallel for
    for (int i = 0; i < 64; ++i) {
      values[i] += in_sequence;
    }
  }
  CHECK_EQUAL(once, 1);
  CHECK_EQUAL(size, 1);
  CHECK_EQUAL(in_team, 1);
  CHECK_EQUAL(in_sequence, 1);
  for (const int value : values) {
    CHECK_EQUAL(value, 1);
  }
}

// Of parts of a word, the last of an allocation among them.
void small_atomics() {
  unsigned char bytes[7] = {};
  short sum = 0;
  unsigned char bits = 0;
#pragma omp target parallel for num_threads(threads) map(tofrom : bytes, sum, bits)
  for (int i = 0; i < 200; ++i) {
#pragma omp atomic
    bytes[6] += 1;
#pragma omp atomic
    sum -= static_cast<short>(i);
#pragma omp atomic
    bits ^= static_cast<unsigned char>(i);
  }
  CHECK_EQUAL(bytes[6], 200);
  CHECK_EQUAL(sum, -19900);
  CHECK_EQUAL(bits, 0);
}

void generic_reductions() {
  long sum = 0;
  int rounds = 0;
#pragma omp target teams num_teams(teams) thread_limit(threads) reduction(+ : sum, rounds)
  {
    long team_sum = 0;
#pragma omp distribute
    for (int block = 0; block < kCount; block += 1000) {
      const int end = block + 1000 < kCount ? block + 1000 : kCount;
#pragma omp parallel for reduction(+ : team_sum) num_threads(threads)
      for (int i = block; i < end; ++i) {
        team_sum += i;
      }
    }
    sum += team_sum;
    ++rounds;
  }
  CHECK_EQUAL(sum, sum_to(kCount - 1));
  CHECK(rounds >= 1 && rounds <= teams);
}

void generic_synchronisation() {
  int count = 0, expected = 0, level = -1, single_sum = 0;
#pragma omp target map(tofrom : count, expected, level, single_sum) thread_limit(threads)
  {
#pragma omp parallel num_threads(threads)
    {
      int value = 0;
#pragma omp single copyprivate(value)
      value = 7;
#pragma omp critical
      {
        ++count;
        single_sum += value;
      }
#pragma omp barrier
#pragma omp masked
      {
        expected = omp_get_num_threads();
        level = omp_get_level();
      }
    }
  }
  CHECK_EQUAL(count, expected);
  CHECK_EQUAL(single_sum, 7 * expected);
  CHECK_EQUAL(level, 1);
}

void generic_tasks() {
  long sum = 0;
  int dependent = 0;
#pragma omp target map(tofrom : sum, dependent) thread_limit(threads)
  {
    int chain = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum)
      {
        for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
          sum += i;
        }
      }
#pragma omp task depend(out : chain) shared(chain)
      chain = 5;
#pragma omp task depend(inout : chain) shared(chain)
      chain *= 3;
#pragma omp taskwait
    }
    dependent = chain;
  }
  CHECK_EQUAL(sum, sum_to(49));
  CHECK_EQUAL(dependent, 15);
}

// ---- nested

void nested_regions() {
  int inner = 0, deepest = 0, wrong = 0;
#pragma omp target parallel num_threads(threads) map(tofrom : inner, deepest, wrong)
  {
#pragma omp parallel num_threads(4)
    {
#pragma omp atomic
      ++inner;
      const bool alone = omp_get_num_threads() == 1 && omp_get_thread_num() == 0 &&
                         omp_get_level() == 2 && omp_get_ancestor_thread_num(1) >= 0;
#pragma omp parallel
      {
        if (omp_get_thread_num() == 0 && omp_get_level() == 3) {
#pragma omp atomic
          ++deepest;
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 3; ++i) {
          if (!alone) {
#pragma omp atomic write
            wrong = 1;
          }
        }
      }
    }
  }
  CHECK(inner >= 1 && inner <= threads);
  CHECK_EQUAL(deepest, inner);
  CHECK_EQUAL(wrong, 0);

  long sum = 0;
#pragma omp target teams num_teams(teams) map(tofrom : sum)
  {
#pragma omp parallel num_threads(threads)
    {
      long mine = 0;
#pragma omp parallel for reduction(+ : mine)
      for (int i = 0; i < 10; ++i) {
        mine += i;
      }
#pragma omp single
      {
#pragma omp atomic
        sum += mine;
      }
    }
  }
  CHECK(sum % 45 == 0 && sum >= 45 && sum <= 45L * teams);
}

[[maybe_unused]] void locks_and_routines() {
  int count = 0, limit = 0, wrong = 0;
  omp_lock_t lock;
#pragma omp target map(tofrom : count, limit, wrong) map(alloc : lock) thread_limit(threads)
  {
    omp_init_lock(&lock);
    limit = omp_get_thread_limit();
    omp_set_num_threads(threads);
#pragma omp parallel
    {
      omp_set_lock(&lock);
      ++count;
      omp_unset_lock(&lock);
#pragma omp barrier
      if (count != omp_get_num_threads() || omp_get_team_size(1) != count ||
          !(omp_in_parallel() == (count > 1))) {
#pragma omp atomic write
        wrong = 1;
      }
    }
    omp_destroy_lock(&lock);
  }
  CHECK(count >= 1 && count <= threads);
  CHECK(limit >= 1);
  CHECK_EQUAL(wrong, 0);
}

// Memory of a thread alone, which atomic operations do not reach.
void locks_of_threads() {
  int count = 0, taken_twice = 0;
#pragma omp target map(tofrom : count, taken_twice) thread_limit(threads)
#pragma omp parallel reduction(+ : count, taken_twice)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    taken_twice += omp_test_lock(&lock);
    omp_unset_lock(&lock);
    count += omp_test_lock(&lock);
    omp_destroy_lock(&lock);
  }
  CHECK(count >= 1 && count <= threads);
  CHECK_EQUAL(taken_twice, 0);
}

// Their functions throw exceptions of the library.
void containers() {
  long sum = 0;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads)            \
    reduction(+ : sum)
  for (int i = 0; i < 20; ++i) {
    std::vector<int> values;
    for (int k = 0; k < i; ++k) {
      values.push_back(k);
    }
    sum += i == 0 ? 0 : values.at(i - 1);
  }
  CHECK_EQUAL(sum, sum_to(18));
}

} // namespace

int main(int count, char** arguments) {
  CHECK_EQUAL(count, 3);
  teams = std::atoi(arguments[1]);
  threads = std::atoi(arguments[2]);
  int initial = 1;
#pragma omp target map(from : initial)
  initial = omp_is_initial_device();
  CHECK_EQUAL(initial, 0);
  spmd_loops();
  spmd_reductions();
  spmd_synchronisation();
#ifndef GANTRY_FOR_AMD // the lanes of a wave there cannot wait for each other
  spmd_ordered();
#endif
  generic_loops();
  generic_decisions();
  generic_sequences();
  inactive_regions();
  small_atomics();
  generic_reductions();
  generic_synchronisation();
  generic_tasks();
  nested_regions();
  locks_of_threads();
  containers();
#ifndef GANTRY_FOR_AMD
  locks_and_routines();
#endif
  std::puts("done");
}
