// Checks that end a program with their place. They use no assert.h: GCC 12's device library has no
// __assert_fail.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                      \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#define CHECK_EQUAL(left, right)                                                                   \
  do {                                                                                             \
    const long long left_value = (long long)(left);                                                \
    const long long right_value = (long long)(right);                                              \
    if (left_value != right_value) {                                                               \
      fprintf(stderr, "%s:%d: failed: %s is %lld and %s is %lld\n", __FILE__, __LINE__, #left,     \
              left_value, #right, right_value);                                                    \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
