// Atomics on 8 and 16 bits, which GCC makes of calls into libatomic, and their neighbours, which
// stay.
#include "device.h"

enum { kCount = 300 };

int main(void) {
  require_device();
  unsigned char bytes[8] = {0};
  unsigned short words[4] = {0};
#pragma omp target teams distribute parallel for num_teams(3) map(tofrom : bytes, words)
  for (int i = 0; i < kCount; ++i) {
#pragma omp atomic
    bytes[1] += 1;
#pragma omp atomic
    bytes[2] ^= (unsigned char)i;
#pragma omp atomic
    words[1] += 200;
#pragma omp atomic
    words[2] |= (unsigned short)(1 << i % 16);
  }
  unsigned char expected = 0;
  for (int i = 0; i < kCount; ++i) {
    expected ^= (unsigned char)i;
  }
  CHECK_EQUAL(bytes[0], 0);
  CHECK_EQUAL(bytes[1], (unsigned char)kCount);
  CHECK_EQUAL(bytes[2], expected);
  CHECK_EQUAL(bytes[3], 0);
  CHECK_EQUAL(words[0], 0);
  CHECK_EQUAL(words[1], (unsigned short)(kCount * 200));
  CHECK_EQUAL(words[2], 0xFFFF);
  CHECK_EQUAL(words[3], 0);
  printf("small atomics: %u %u\n", bytes[1], words[1]);
  return pass();
}
