// Structs, unions and bit-fields: in maps, as arguments by value, packed, copied whole.
#include "device.h"

#include <stdint.h>

struct Point {
  double x;
  double y;
};
struct Box {
  struct Point corners[2];
  char name[8];
  struct {
    short depth;
    int64_t weight;
  } inner;
};
struct __attribute__((packed)) Packed {
  char tag;
  int value;
  short flags;
  double amount;
};
struct Bits {
  unsigned low : 3;
  int middle : 5;
  unsigned high : 20;
  uint64_t wide : 40;
};
union Word {
  float number;
  uint32_t bits;
  unsigned char bytes[4];
};

#pragma omp declare target
__attribute__((noinline)) static double area(struct Box box) {
  return (box.corners[1].x - box.corners[0].x) * (box.corners[1].y - box.corners[0].y);
}
#pragma omp end declare target

int main(void) {
  require_device();
  struct Box boxes[4];
  for (int i = 0; i < 4; ++i) {
    const struct Box box = {{{i, 1}, {i + 2.5, 3}}, "box", {(short)-i, (int64_t)i << 40}};
    boxes[i] = box;
  }
  struct Box copy;
  double areas[4];
#pragma omp target map(tofrom : boxes) map(from : copy, areas)
  {
    for (int i = 0; i < 4; ++i) {
      areas[i] = area(boxes[i]);
      boxes[i].inner.weight += boxes[i].inner.depth;
      boxes[i].name[0] = (char)('a' + i);
    }
    copy = boxes[2];
  }
  for (int i = 0; i < 4; ++i) {
    CHECK(areas[i] == 5);
    CHECK_EQUAL(boxes[i].inner.weight, ((int64_t)i << 40) - i);
    CHECK_EQUAL(boxes[i].name[0], 'a' + i);
  }
  CHECK_EQUAL(copy.inner.depth, -2);
  CHECK_EQUAL(copy.name[1], 'o');

  struct Packed packed[3] = {{'a', 1, 2, 3.5}, {'b', -4, 5, 6.5}, {'c', 7, -8, 9.5}};
  double total = 0;
#pragma omp target map(tofrom : packed, total)
  for (int i = 0; i < 3; ++i) {
    total += packed[i].value + packed[i].flags + packed[i].amount;
    packed[i].value = packed[i].tag;
  }
  CHECK(total == 22.5);
  CHECK_EQUAL(packed[1].value, 'b');
  CHECK_EQUAL(packed[1].flags, 5);

  struct Bits bits = {5, -3, 12345, 0x123456789AULL};
  int middle = 0;
#pragma omp target map(tofrom : bits, middle)
  {
    middle = bits.middle;
    bits.low += 7;
    bits.middle -= 20;
    bits.high ^= 0xFFFFF;
    bits.wide <<= 4;
  }
  CHECK_EQUAL(middle, -3);
  CHECK_EQUAL(bits.low, 4);
  CHECK_EQUAL(bits.middle, 9);
  CHECK_EQUAL(bits.high, 12345 ^ 0xFFFFF);
  CHECK_EQUAL(bits.wide, 0x23456789A0ULL);

  union Word word = {.number = 1.5f};
  unsigned top = 0;
#pragma omp target map(tofrom : word, top)
  {
    top = word.bytes[3];
    word.bits |= 0x80000000u;
  }
  CHECK_EQUAL(top, 0x3F);
  CHECK(word.number == -1.5f);
  printf("structs: %g\n", total);
  return pass();
}
