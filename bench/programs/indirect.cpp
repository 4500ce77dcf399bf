// What a call by pointer costs in a target region: prints nanoseconds a call, one line `KIND TIME`
// for each kind of call. FUNCTIONS is the number of functions that the table of the device has.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include <utility>

#ifndef FUNCTIONS
#define FUNCTIONS 1000
#endif

namespace {
enum : int { kCalls = 4096 };
using Function = int (*)(int);
} // namespace

#pragma omp begin declare target indirect
template <int Number>
__attribute__((noinline)) int function(int x) {
  return x + Number;
}
struct Base {
  int value = 1;
  virtual int member(int x) const { return x + value; }
};
#pragma omp end declare target

#pragma omp begin declare target
struct Table {
  Function functions[FUNCTIONS];
};
template <int... Numbers>
constexpr Table table_of(std::integer_sequence<int, Numbers...>) {
  return {{function<Numbers>...}};
}
/// The device's own addresses there, the host's here.
constexpr Table kTable = table_of(std::make_integer_sequence<int, FUNCTIONS>());

/// Keeps a value from being known to the optimiser.
template <typename T>
T opaque(T value) {
  __asm__ volatile("" : "+r"(value));
  return value;
}

/// Sets `time` to the seconds that CALL, with `i` and `x` in it, takes.
#define MEASURE(time, CALL)                                                                        \
  do {                                                                                             \
    const double start = omp_get_wtime();                                                          \
    for (int round = 0; round < rounds; ++round) {                                                 \
      for (int i = 0; i < kCalls; ++i) {                                                           \
        x = CALL;                                                                                  \
      }                                                                                            \
    }                                                                                              \
    (time) = (omp_get_wtime() - start) / rounds / kCalls;                                          \
  } while (0)

int measure(const Function* translated, const Base* host_object, const int* same, const int* any,
            int rounds, double* times) {
  const Base device_object;
  const Function* const plain = kTable.functions;
  int x = 0;
  MEASURE(times[0], opaque(function<0>(x)));
  MEASURE(times[1], plain[same[i]](x));
  MEASURE(times[2], translated[same[i]](x));
  MEASURE(times[3], plain[any[i]](x));
  MEASURE(times[4], translated[any[i]](x));
  MEASURE(times[5], opaque(&device_object)->member(x));
  MEASURE(times[6], opaque(host_object)->member(x));
  return x;
}
#pragma omp end declare target

int main(int count, char** arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 1000;
  static Table host_table = kTable;
  static int same[kCalls];
  static int any[kCalls];
  for (int i = 0; i < kCalls; ++i) {
    any[i] = rand() % FUNCTIONS;
  }
  Base host_object;
  double times[7] = {};
  long sink = 0;
#pragma omp target map(to : host_table, same, any, host_object) map(from : times) map(tofrom : sink)
  sink += measure(host_table.functions, &host_object, same, any, rounds, times);
  const char* const kinds[] = {"direct",
                               "pointer",
                               "translated",
                               "pointer-random",
                               "translated-random",
                               "virtual-device-object",
                               "virtual-host-object"};
  for (int i = 0; i < 7; ++i) {
    printf("%s %.3f\n", kinds[i], times[i] * 1e9);
  }
  return sink == 42;
}
