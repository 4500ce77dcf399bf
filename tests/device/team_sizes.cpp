// How many threads a team has where the program can notice it, next to a loop that would do with
// fewer, and what is called by another name than its own. All cases run in SPMD kernels but those
// of aliases.
#include <cstdio>
#include <cstring>

#include <omp.h>

namespace {

constexpr int kThreads = 96;

int failures = 0;

void expect(const char* what, int got, int wanted) {
  if (got != wanted) {
    std::printf("%s: %d, not %d\n", what, got, wanted);
    ++failures;
  }
}

void beside_a_loop() {
  int count = 0;
  int numbers[1000] = {};
#pragma omp target parallel num_threads(kThreads) map(tofrom : count, numbers)
  {
#pragma omp atomic
    ++count;
#pragma omp for
    for (int i = 0; i < 1000; ++i) {
      numbers[i] = i;
    }
  }
  expect("threads beside a loop", count, kThreads);
  expect("the loop's last number", numbers[999], 999);
}

void places_for_threads() {
  int next = 0;
  int places[kThreads] = {};
  int numbers[kThreads] = {};
#pragma omp target parallel num_threads(kThreads) map(tofrom : next, places, numbers)
  {
    int mine = 0;
#pragma omp atomic capture
    mine = next++;
    places[mine] = 1;
#pragma omp for nowait
    for (int i = 0; i < kThreads; ++i) {
      numbers[i] = 1;
    }
  }
  int all = 0;
  for (const int place : places) {
    all += place;
  }
  expect("places of threads", all, kThreads);
  expect("the loop beside them", numbers[kThreads - 1], 1);
}

void masked_by_a_late_thread() {
  int number = 0;
  int sum = 0;
#pragma omp target parallel num_threads(kThreads) map(tofrom : number, sum)
  {
#pragma omp masked filter(70)
    number = 70;
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 10; ++i) {
      sum += i;
    }
  }
  expect("what thread 70 says", number, 70);
  expect("the sum beside it", sum, 45);
}

void each_thread_adds() {
  int sum = 0;
#pragma omp target parallel num_threads(kThreads) map(tofrom : sum) reduction(+ : sum)
  {
    sum += 1000;
#pragma omp for
    for (int i = 0; i < 10; ++i) {
      sum += i;
    }
  }
  expect("a reduction of the region", sum, 1000 * kThreads + 45);
}

void in_several_teams() {
  int count = 0;
  int sum = 0;
#pragma omp target teams num_teams(4) thread_limit(kThreads) map(tofrom : count, sum)
#pragma omp parallel
  {
#pragma omp atomic
    ++count;
#pragma omp for nowait
    for (int i = 0; i < 10; ++i) {
#pragma omp atomic
      sum += i;
    }
  }
  expect("threads of four teams", count, 4 * kThreads);
  expect("sums of four teams", sum, 4 * 45);
}

// Iteration t runs in thread t, and is finished when t + 1 is.
void threads_that_wait() {
  int done[kThreads + 1] = {};
  done[kThreads] = 1;
#pragma omp target parallel for num_threads(kThreads) schedule(static, 1) map(tofrom : done)
  for (int i = 0; i < kThreads; ++i) {
    int next = 0;
    while (next == 0) {
#pragma omp atomic read acquire
      next = done[i + 1];
    }
#pragma omp atomic write release
    done[i] = next + 1;
  }
  expect("iterations that waited", done[0], kThreads + 1);
}

// The same without a clause: an implementation may give fewer threads, but then none waits there.
void teams_left_open() {
  constexpr int kSize = 10000;
  static double a[kSize];
  double sum = 0;
  for (int i = 0; i < kSize; ++i) {
    a[i] = i;
  }
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : a)
  for (int i = 0; i < kSize; ++i) {
    sum += 2 * a[i];
  }
  expect("a dot product", static_cast<int>(sum), kSize * (kSize - 1));
}

#pragma omp begin declare target
extern "C" {
__attribute__((noinline)) int sum_to(int count) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; ++i) {
    sum += i + 1;
  }
  return sum * 10 + omp_get_level();
}
int weak_sum_to(int) __attribute__((weak, alias("sum_to")));
int second_sum_to(int) __attribute__((alias("sum_to")));

__attribute__((noinline)) int threads_here() {
  return omp_get_num_threads();
}
int weak_threads_here() __attribute__((weak, alias("threads_here")));
}
int (*sum_by_pointer)(int) = weak_sum_to;
#pragma omp end declare target

void by_another_name() {
  int sums[4] = {};
  int of_loop[64] = {};
#pragma omp target map(from : sums)
  {
    sums[0] = weak_sum_to(100);
    sums[1] = second_sum_to(100);
    sums[2] = sum_by_pointer(100);
  }
#pragma omp target map(from : sums[3])
#pragma omp parallel num_threads(4)
  {
    const int sum = weak_sum_to(10);
    if (omp_get_thread_num() == 1) {
      sums[3] = sum;
    }
  }
#pragma omp target teams distribute parallel for map(from : of_loop)
  for (int i = 0; i < 64; ++i) {
    of_loop[i] = sum_to(10);
  }
  expect("a sum by a weak name", sums[0], 50500);
  expect("a sum by a second name", sums[1], 50500);
  expect("a sum by a pointer", sums[2], 50500);
  expect("a sum in a region", sums[3], 551);
  expect("a sum in a loop", of_loop[63], 551);

  int threads = 0;
#pragma omp target parallel for num_threads(kThreads) map(tofrom : threads)
  for (int i = 0; i < 1000; ++i) {
    if (i == 0) {
      threads = weak_threads_here();
    }
  }
  expect("threads by a weak name", threads, kThreads);
}

} // namespace

int main() {
  int on_host = 1;
#pragma omp target map(tofrom : on_host)
  on_host = omp_is_initial_device();
  expect("target regions on the host", on_host, 0);
  beside_a_loop();
  places_for_threads();
  masked_by_a_late_thread();
  each_thread_adds();
  in_several_teams();
  threads_that_wait();
  teams_left_open();
  by_another_name();
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
