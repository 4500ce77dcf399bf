// Atomic update, read, write and capture on int, unsigned, long and unsigned long, by the threads
// of several teams.
#include "device.h"

enum { kCount = 800 };

#define TEST_OF(type, name)                                                                        \
  static void test_##name(void) {                                                                  \
    type added = 0;                                                                                \
    type anded = (type)~0;                                                                         \
    type ored = 0;                                                                                 \
    type xored = 5;                                                                                \
    type multiplied = 1;                                                                           \
    type subtracted = 1000000;                                                                     \
    type tickets[kCount];                                                                          \
    type ticket = 0;                                                                               \
    type written = 0;                                                                              \
    type copied = 0;                                                                               \
    _Pragma(                                                                                       \
        "omp target teams distribute parallel for num_teams(4) defaultmap(tofrom)") for (int i =   \
                                                                                             0;    \
                                                                                         i <       \
                                                                                         kCount;   \
                                                                                         ++i) {    \
      _Pragma("omp atomic update") added += (type)i;                                               \
      _Pragma("omp atomic") anded &= (type) ~((type)1 << i % 20);                                  \
      _Pragma("omp atomic") ored |= (type)1 << i % 27;                                             \
      _Pragma("omp atomic") xored ^= (type)i;                                                      \
      _Pragma("omp atomic") multiplied *= (type)(i % 200 == 0 ? 3 : 1);                            \
      _Pragma("omp atomic") subtracted -= (type)(i % 3);                                           \
      _Pragma("omp atomic capture") tickets[i] = ticket++;                                         \
      _Pragma("omp atomic write") written = (type)7777;                                            \
      type seen;                                                                                   \
      _Pragma("omp atomic read") seen = written;                                                   \
      if (seen == (type)7777) {                                                                    \
        _Pragma("omp atomic seq_cst") copied += 1;                                                 \
      }                                                                                            \
    }                                                                                              \
    type expected_xor = 5;                                                                         \
    type expected_subtracted = 1000000;                                                            \
    unsigned char drawn[kCount] = {0};                                                             \
    for (int i = 0; i < kCount; ++i) {                                                             \
      expected_xor ^= (type)i;                                                                     \
      expected_subtracted -= (type)(i % 3);                                                        \
      CHECK(tickets[i] < (type)kCount);                                                            \
      drawn[(int)tickets[i]] += 1;                                                                 \
    }                                                                                              \
    for (int i = 0; i < kCount; ++i) {                                                             \
      CHECK_EQUAL(drawn[i], 1);                                                                    \
    }                                                                                              \
    CHECK_EQUAL(added, kCount * (kCount - 1) / 2);                                                 \
    CHECK_EQUAL(anded, (type)(~(type)0 & ~(type)0xFFFFF));                                         \
    CHECK_EQUAL(ored, 0x7FFFFFF);                                                                  \
    CHECK_EQUAL(xored, expected_xor);                                                              \
    CHECK_EQUAL(multiplied, 81);                                                                   \
    CHECK_EQUAL(subtracted, expected_subtracted);                                                  \
    CHECK_EQUAL(ticket, kCount);                                                                   \
    CHECK_EQUAL(copied, kCount);                                                                   \
  }

TEST_OF(int, int)
TEST_OF(unsigned, unsigned)
TEST_OF(long, long)
TEST_OF(unsigned long, unsigned_long)

int main(void) {
  require_device();
  test_int();
  test_unsigned();
  test_long();
  test_unsigned_long();

  // Captures of both forms, with the operand on either side.
  int value = 100;
  int before = 0;
  int after = 0;
  int swapped = 0;
#pragma omp target map(tofrom : value, before, after, swapped)
  {
#pragma omp atomic capture
    {
      before = value;
      value = 1000 - value;
    }
#pragma omp atomic capture
    after = value <<= 2;
#pragma omp atomic capture
    {
      swapped = value;
      value = 11;
    }
  }
  CHECK_EQUAL(before, 100);
  CHECK_EQUAL(after, 3600);
  CHECK_EQUAL(swapped, 3600);
  CHECK_EQUAL(value, 11);
  printf("integer atomics: %d updates\n", kCount);
  return pass();
}
