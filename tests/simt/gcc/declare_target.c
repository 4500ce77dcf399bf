// Variables and functions of the device: initial values, addresses in initialisers, static ones,
// constants, updates in both directions, and link variables.
#include "device.h"

#pragma omp declare target
int counter = 40;
double table[5] = {0.5, 1.5, 4, 8.25, -1};
static const int primes[] = {2, 3, 5, 7, 11, 13};
int cells[8];
int* second_cell = &cells[1];
const char* words[] = {"zero", "one", "two"};
struct Settings {
  int width;
  float scale;
  const int* numbers;
} settings = {17, 2.5f, &primes[2]};

static int last = 100;
static int next_number(void) {
  return ++last;
}

static int read_table(int i) {
  return (int)(table[i] * 4) + primes[i];
}
#pragma omp end declare target

int linked[6] = {1, 2, 3, 4, 5, 6};
#pragma omp declare target link(linked)

int main(void) {
  require_device();
  counter = 1;
  int seen = 0;
#pragma omp target map(from : seen)
  {
    seen = counter;
    counter += 2;
  }
  CHECK(seen == 40 || (host_is_allowed() && seen == 1));
#pragma omp target update from(counter)
  CHECK(counter == 42 || host_is_allowed());
  counter = 7;
#pragma omp target update to(counter)
#pragma omp target map(from : seen)
  seen = counter;
  CHECK_EQUAL(seen, 7);

  int results[8];
#pragma omp target map(from : results)
  {
    results[0] = read_table(3);
    *second_cell = 21;
    results[1] = cells[1] + cells[0];
    results[2] = words[2][1] * 1000 + words[1][2];
    results[3] = settings.width + (int)(settings.scale * 2) + settings.numbers[1];
    results[4] = next_number();
    results[5] = next_number();
    results[6] = &cells[1] == second_cell;
    results[7] = (int)(sizeof primes / sizeof *primes) + primes[5];
  }
  CHECK_EQUAL(results[0], 33 + 7);
  CHECK_EQUAL(results[1], 21);
  CHECK_EQUAL(results[2], 'w' * 1000 + 'e');
  CHECK_EQUAL(results[3], 17 + 5 + 7);
  CHECK_EQUAL(results[4], 101);
  CHECK_EQUAL(results[5], 102);
  CHECK_EQUAL(results[6], 1);
  CHECK_EQUAL(results[7], 19);

  // Kept from one target region to the next.
#pragma omp target map(from : results)
  results[0] = next_number() * 100 + cells[1];
  CHECK_EQUAL(results[0], 10321);

  int sum = 0;
#pragma omp target map(tofrom : linked) map(from : sum)
  {
    sum = 0;
    for (int i = 0; i < 6; ++i) {
      sum += linked[i];
      linked[i] *= 10;
    }
  }
  CHECK_EQUAL(sum, 21);
  CHECK_EQUAL(linked[5], 60);
  printf("declare target: %d %d\n", seen, sum);
  return pass();
}
