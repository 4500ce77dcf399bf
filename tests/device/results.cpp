// What threads and teams hand back together, where it is not simply one word: reductions of small
// types and of records, and the last iteration's variables. The arguments are the numbers of teams
// and of threads; every result is checked on the host.
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <omp.h>

namespace {

int teams = 1;
int threads = 1;

struct Counts {
  short first, second, third, fourth;
};
struct Point {
  float x, y;
};
#pragma omp declare reduction(add:Counts : omp_out.first += omp_in.first,                          \
                                  omp_out.second += omp_in.second, omp_out.third += omp_in.third,  \
                                  omp_out.fourth += omp_in.fourth) initializer(omp_priv = {})
#pragma omp declare reduction(add:Point : omp_out.x += omp_in.x, omp_out.y += omp_in.y)            \
    initializer(omp_priv = {})

void small_reductions() {
  _Float16 half = 0;
  short number = 0;
  signed char largest = -100;
  bool all = true;
  Counts record = {};
  const int size = 500;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads)            \
    map(tofrom : half, number, largest, all, record) reduction(+ : half, number)                   \
    reduction(max : largest) reduction(&& : all) reduction(add : record)
  for (int i = 0; i < size; ++i) {
    half += static_cast<_Float16>(i % 2);
    number += i % 3;
    largest = i % 97 > largest ? i % 97 : largest;
    all = all && i < size;
    record.first += 1;
    record.second -= 1;
    record.third += i % 5;
    record.fourth += i % 2;
  }
  CHECK_EQUAL(static_cast<float>(half), 250);
  CHECK_EQUAL(number, 499);
  CHECK_EQUAL(largest, 96);
  CHECK(all);
  CHECK(record.first == size && record.second == -size && record.third == 1000 &&
        record.fourth == 250);

  // Records that lie behind each other, not all of them on a multiple of their size.
  Point point = {};
  float beside = 0;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads)            \
    map(tofrom : point, beside) reduction(add : point) reduction(+ : beside)
  for (int i = 0; i < size; ++i) {
    point.x += 1;
    point.y += i % 2;
    beside += 2;
  }
  CHECK(point.x == size && point.y == 250 && beside == 1000);

  half = 0;
#pragma omp target parallel for num_threads(threads) map(tofrom : half) reduction(+ : half)
  for (int i = 0; i < size; ++i) {
    half += static_cast<_Float16>(0.5F);
  }
  CHECK_EQUAL(static_cast<float>(half), 250);
}

void lastprivate_variables() {
  int last = -1;
  double half = -1;
  int array[5] = {};
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads)            \
    lastprivate(last, half, array) map(tofrom : last, half, array)
  for (int i = 0; i < 12345; ++i) {
    last = 2 * i;
    half = 0.5 * i;
    for (int k = 0; k < 5; ++k) {
      array[k] = i + k;
    }
  }
  CHECK_EQUAL(last, 24688);
  CHECK_EQUAL(half, 6172);
  CHECK(array[0] == 12344 && array[4] == 12348);

  last = -1;
#pragma omp target teams num_teams(teams) thread_limit(threads) map(tofrom : last)
#pragma omp distribute parallel for lastprivate(last) dist_schedule(static, 7) schedule(dynamic, 2)
  for (int i = 0; i < 1234; ++i) {
    last = i;
  }
  CHECK_EQUAL(last, 1233);

  last = -1;
#pragma omp target teams distribute parallel for simd num_teams(teams) thread_limit(threads)       \
    lastprivate(last) map(tofrom : last)
  for (int i = 20; i > 0; --i) {
    last = i;
  }
  CHECK_EQUAL(last, 1);
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
  small_reductions();
  lastprivate_variables();
  std::puts("done");
}
