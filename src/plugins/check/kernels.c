/* The kernels that plugin-check launches. Compiled for every kind of device that Gantry knows; an
 * image for another one is made from this file with that device's own compiler, and named with
 * --image. Kernels take words alone, and each thread executes the whole kernel. */

#if defined(__NVPTX__)
#define KERNEL __attribute__((nvptx_kernel)) void
#define DEVICE_MEMORY __attribute__((address_space(1)))
#elif defined(__AMDGCN__)
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"))) void
#define DEVICE_MEMORY __attribute__((address_space(1)))
#else
#define KERNEL __attribute__((visibility("protected"))) void
#define DEVICE_MEMORY
#endif

typedef long long word;
typedef DEVICE_MEMORY word* words;

/* How often the image's constructors ran, and a variable for its own sake. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define VARIABLE __attribute__((visibility("protected"))) DEVICE_MEMORY word
VARIABLE check_constructed = 0;
VARIABLE check_variable = 41;
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

/* check_sum_N, where N is a number of two octal digits, has N parameters behind the result:
 * *result = 1 * p01 + 2 * p02 + … Up to 32, which is 40. ONES_o and EIGHTS_e list those of the last
 * digit and of the digits before it. */
#define ONES_0(X, e)
#define ONES_1(X, e) X(e##1)
#define ONES_2(X, e) ONES_1(X, e) X(e##2)
#define ONES_3(X, e) ONES_2(X, e) X(e##3)
#define ONES_4(X, e) ONES_3(X, e) X(e##4)
#define ONES_5(X, e) ONES_4(X, e) X(e##5)
#define ONES_6(X, e) ONES_5(X, e) X(e##6)
#define ONES_7(X, e) ONES_6(X, e) X(e##7)
#define EIGHTS_0(X)
#define EIGHTS_1(X) EIGHTS_0(X) ONES_7(X, 0) X(10)
#define EIGHTS_2(X) EIGHTS_1(X) ONES_7(X, 1) X(20)
#define EIGHTS_3(X) EIGHTS_2(X) ONES_7(X, 2) X(30)
#define EIGHTS_4(X) EIGHTS_3(X) ONES_7(X, 3) X(40)
#define PARAMETER(n) , word p##n
#define TERM(n) +0##n* p##n
#define SUM(e, o)                                                                                  \
  KERNEL check_sum_##e##o(words result EIGHTS_##e(PARAMETER) ONES_##o(PARAMETER, e)) {             \
    *result = 0 EIGHTS_##e(TERM) ONES_##o(TERM, e);                                                \
  }
#define SUMS(e) SUM(e, 0) SUM(e, 1) SUM(e, 2) SUM(e, 3) SUM(e, 4) SUM(e, 5) SUM(e, 6) SUM(e, 7)
SUMS(0)
SUMS(1)
SUMS(2)
SUMS(3)
SUM(4, 0)

/* And some with more parameters, which sum up the first, the last and those in the middle. */
#define TEN(n)                                                                                     \
  word n##0, word n##1, word n##2, word n##3, word n##4, word n##5, word n##6, word n##7,          \
      word n##8, word n##9
#define HUNDRED(n)                                                                                 \
  TEN(n##0), TEN(n##1), TEN(n##2), TEN(n##3), TEN(n##4), TEN(n##5), TEN(n##6), TEN(n##7),          \
      TEN(n##8), TEN(n##9)
KERNEL check_sum_of_40(words result, TEN(a0), TEN(a1), TEN(a2), TEN(a3)) {
  *result = a00 + 2 * a20 + 3 * a39;
}
KERNEL check_sum_of_100(words result, HUNDRED(a)) {
  *result = a00 + 2 * a50 + 3 * a99;
}
KERNEL check_sum_of_200(words result, HUNDRED(a), HUNDRED(b)) {
  *result = a00 + 2 * b00 + 3 * b99;
}
KERNEL check_sum_of_320(words result, HUNDRED(a), HUNDRED(b), HUNDRED(c), TEN(d0), TEN(d1)) {
  *result = a00 + 2 * a99 + 3 * b00 + 4 * b55 + 5 * c99 + 6 * d00 + 7 * d19;
}
