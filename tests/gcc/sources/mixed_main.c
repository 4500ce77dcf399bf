// A program with a half of each compiler: what one maps is present for the other.
#include "../../support/check_macros.h"

#define JOIN_(a, b) a##b
#define DECLARE(half)                                                                              \
  void JOIN_(half, keep)(struct particle*, int);                                                   \
  void JOIN_(half, forget)(struct particle*, int);                                                 \
  int JOIN_(half, advance)(struct particle*, int);                                                 \
  void JOIN_(half, fetch)(struct particle*, int);                                                  \
  int JOIN_(half, is_there)(const void*);                                                          \
  double* JOIN_(half, device_memory)(int, double);                                                 \
  double JOIN_(half, sum_and_free)(double*, int);                                                  \
  void JOIN_(half, twice)(double*, int);                                                           \
  int JOIN_(half, iterations)(int);                                                                \
  int JOIN_(half, numbers_of_teams)(void);                                                         \
  int JOIN_(half, numbers_of_threads)(void);                                                       \
  int JOIN_(half, numbers_on_host)(void);                                                          \
  int JOIN_(half, iterations_on_host)(int);
#include "mixed.h"
DECLARE(of_gcc_)
DECLARE(of_clang_)

enum { kLength = 100 };

#define EXCHANGE(one, other)                                                                       \
  do {                                                                                             \
    double history[kLength] = {0};                                                                 \
    struct particle particle = {1.5, history, 0};                                                  \
    one##keep(&particle, kLength);                                                                 \
    CHECK(other##is_there(&particle));                                                             \
    CHECK(other##advance(&particle, kLength));                                                     \
    CHECK(one##advance(&particle, kLength));                                                       \
    other##fetch(&particle, kLength);                                                              \
    CHECK_EQUAL(particle.count, 2);                                                                \
    CHECK_EQUAL((int)history[kLength - 1], 2);                                                     \
    CHECK(particle.history == history);                                                            \
    other##twice(history, kLength); /* present: nothing is copied */                               \
    one##fetch(&particle, kLength);                                                                \
    CHECK_EQUAL((int)history[kLength - 1], 4);                                                     \
    double alone[4] = {3};                                                                         \
    one##twice(alone, 4);                                                                          \
    CHECK_EQUAL((int)alone[0], 6);                                                                 \
    CHECK_EQUAL(one##iterations(1000), 1000);                                                      \
    CHECK(one##numbers_of_teams());                                                                \
    CHECK(one##numbers_of_threads());                                                              \
    CHECK(one##numbers_on_host());                                                                 \
    CHECK_EQUAL(one##iterations_on_host(1000), 1000);                                              \
    other##keep(&particle, kLength);                                                               \
    one##forget(&particle, kLength);                                                               \
    CHECK(one##is_there(&particle));                                                               \
    other##forget(&particle, kLength);                                                             \
    CHECK(!one##is_there(&particle));                                                              \
    CHECK_EQUAL((int)one##sum_and_free(other##device_memory(50, 2), 50), 100);                     \
  } while (0)

int main(void) {
  EXCHANGE(of_gcc_, of_clang_);
  EXCHANGE(of_clang_, of_gcc_);
  puts("PASS");
  return 0;
}
