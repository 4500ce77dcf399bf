// User-defined reductions: a struct, an initialiser that uses omp_orig, and a combiner function.
#include "device.h"

struct Extreme {
  int value;
  int index;
};

#pragma omp declare target
static void combine(struct Extreme* into, const struct Extreme* from) {
  if (from->value > into->value || (from->value == into->value && from->index < into->index)) {
    *into = *from;
  }
}
#pragma omp end declare target

#pragma omp declare reduction(largest : struct Extreme : combine(&omp_out, &omp_in))               \
    initializer(omp_priv = {-1000000, 1 << 30})
#pragma omp declare reduction(collect:unsigned : omp_out |= omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(longest:int : omp_out = omp_in > omp_out ? omp_in : omp_out)         \
    initializer(omp_priv = omp_orig)

int main(void) {
  require_device();
  enum { kCount = 500 };
  int values[kCount];
  for (int i = 0; i < kCount; ++i) {
    values[i] = i * 7919 % 1000;
  }
  struct Extreme found = {-1, -1};
  unsigned bits = 1u << 31;
  int longest = 12;
#pragma omp target map(to : values) map(tofrom : found, bits, longest)
#pragma omp parallel for reduction(largest : found) reduction(collect : bits)                      \
    reduction(longest : longest)
  for (int i = 0; i < kCount; ++i) {
    const struct Extreme candidate = {values[i], i};
    combine(&found, &candidate);
    bits |= 1u << values[i] % 20;
    longest = values[i] % 50 > longest ? values[i] % 50 : longest;
  }
  struct Extreme expected = {-1, -1};
  for (int i = 0; i < kCount; ++i) {
    if (values[i] > expected.value) {
      expected.value = values[i];
      expected.index = i;
    }
  }
  CHECK_EQUAL(found.value, expected.value);
  CHECK_EQUAL(found.index, expected.index);
  CHECK_EQUAL(bits, (1u << 31) | 0xFFFFF);
  CHECK_EQUAL(longest, 49);
  printf("user reductions: %d at %d\n", found.value, found.index);
  return pass();
}
