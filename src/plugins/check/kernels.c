/* The kernels that plugin-check launches. Compiled for every kind of device that Gantry knows; an
 * image for another one is made from this file with that device's own compiler, and named with
 * --image. Kernels take words alone, and each thread executes the whole kernel. */

#if defined(__NVPTX__)
#define KERNEL __attribute__((nvptx_kernel)) void
#define DEVICE_MEMORY __attribute__((address_space(1)))
#else
#define KERNEL __attribute__((visibility("protected"))) void
#define DEVICE_MEMORY
#endif

typedef long long word;
typedef DEVICE_MEMORY word* words;

/* How often the image's constructors ran, and a variable for its own sake. */
#if defined(__NVPTX__)
DEVICE_MEMORY word check_constructed = 0;
DEVICE_MEMORY word check_variable = 41;
KERNEL __gantry_construct(void) {
  check_constructed += 1;
}
#else
__attribute__((visibility("protected"))) word check_constructed = 0;
__attribute__((visibility("protected"))) word check_variable = 41;
__attribute__((constructor)) static void construct(void) {
  check_constructed += 1;
}
#endif

KERNEL check_nothing(void) {}

/* *result = *input * 3 + addend */
KERNEL check_step(words result, words input, word addend) {
  *result = *input * 3 + addend;
}

/* Adds 1 in every thread. */
KERNEL check_count(words counter) {
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* check_variable += addend; *result = check_variable */
KERNEL check_add_to_variable(words result, word addend) {
  *result = check_variable += addend;
}

/* Takes a while, and then sets *result to steps. */
KERNEL check_wait(words result, word steps) {
  volatile word done = 0;
  while (done < steps) {
    done += 1;
  }
  *result = done;
}

/* Accesses an address that no device has. */
KERNEL check_fault(word address) {
  *(volatile words)address = 1;
}

/* check_sum_N has N parameters behind the result: *result = 1 * p1 + 2 * p2 + … */
#define P1 word p1
#define P2 P1, word p2
#define P3 P2, word p3
#define P4 P3, word p4
#define P5 P4, word p5
#define P6 P5, word p6
#define P7 P6, word p7
#define P8 P7, word p8
#define P9 P8, word p9
#define P10 P9, word p10
#define P11 P10, word p11
#define P12 P11, word p12
#define P13 P12, word p13
#define P14 P13, word p14
#define P15 P14, word p15
#define P16 P15, word p16
#define P17 P16, word p17
#define P18 P17, word p18
#define P19 P18, word p19
#define P20 P19, word p20
#define P21 P20, word p21
#define P22 P21, word p22
#define P23 P22, word p23
#define P24 P23, word p24
#define P25 P24, word p25
#define P26 P25, word p26
#define P27 P26, word p27
#define P28 P27, word p28
#define P29 P28, word p29
#define P30 P29, word p30
#define P31 P30, word p31
#define P32 P31, word p32
#define S1 p1
#define S2 S1 + 2 * p2
#define S3 S2 + 3 * p3
#define S4 S3 + 4 * p4
#define S5 S4 + 5 * p5
#define S6 S5 + 6 * p6
#define S7 S6 + 7 * p7
#define S8 S7 + 8 * p8
#define S9 S8 + 9 * p9
#define S10 S9 + 10 * p10
#define S11 S10 + 11 * p11
#define S12 S11 + 12 * p12
#define S13 S12 + 13 * p13
#define S14 S13 + 14 * p14
#define S15 S14 + 15 * p15
#define S16 S15 + 16 * p16
#define S17 S16 + 17 * p17
#define S18 S17 + 18 * p18
#define S19 S18 + 19 * p19
#define S20 S19 + 20 * p20
#define S21 S20 + 21 * p21
#define S22 S21 + 22 * p22
#define S23 S22 + 23 * p23
#define S24 S23 + 24 * p24
#define S25 S24 + 25 * p25
#define S26 S25 + 26 * p26
#define S27 S26 + 27 * p27
#define S28 S27 + 28 * p28
#define S29 S28 + 29 * p29
#define S30 S29 + 30 * p30
#define S31 S30 + 31 * p31
#define S32 S31 + 32 * p32
#define SUM(n)                                                                                     \
  KERNEL check_sum_##n(words result, P##n) {                                                       \
    *result = S##n;                                                                                \
  }

KERNEL check_sum_0(words result) {
  *result = 0;
}
SUM(1)
SUM(2)
SUM(3)
SUM(4)
SUM(5)
SUM(6)
SUM(7)
SUM(8)
SUM(9)
SUM(10)
SUM(11)
SUM(12)
SUM(13)
SUM(14)
SUM(15)
SUM(16)
SUM(17)
SUM(18)
SUM(19)
SUM(20)
SUM(21)
SUM(22)
SUM(23)
SUM(24)
SUM(25)
SUM(26)
SUM(27)
SUM(28)
SUM(29)
SUM(30)
SUM(31)
SUM(32)

/* And one with 320 parameters, of which the sum is the first, the last and those in the middle. */
#define TEN(n)                                                                                     \
  word n##0, word n##1, word n##2, word n##3, word n##4, word n##5, word n##6, word n##7,          \
      word n##8, word n##9
#define HUNDRED(n)                                                                                 \
  TEN(n##0), TEN(n##1), TEN(n##2), TEN(n##3), TEN(n##4), TEN(n##5), TEN(n##6), TEN(n##7),          \
      TEN(n##8), TEN(n##9)
KERNEL check_sum_320(words result, HUNDRED(a), HUNDRED(b), HUNDRED(c), TEN(d0), TEN(d1)) {
  *result = a00 + 2 * a99 + 3 * b00 + 4 * b55 + 5 * c99 + 6 * d00 + 7 * d19;
}
