// Functions that C and CUDA have twice, of double and of float: both are defined by one line.
#pragma once

#include "device/gpu/types.h"

/// The parameters of such functions.
#define GANTRY_X(Real) (Real x)
#define GANTRY_X_Y(Real) (Real x, Real y)
#define GANTRY_X_EXPONENT(Real) (Real x, int32_t exponent)

/// Two functions that are one expression, which calls overloaded functions. `before` stands before
/// their types.
#define GANTRY_PAIR(before, of_double, of_float, parameters, result)                               \
  before auto of_double parameters(double) {                                                       \
    return result;                                                                                 \
  }                                                                                                \
  before auto of_float parameters(float) {                                                         \
    return result;                                                                                 \
  }

/// Two functions that call two others; the names of those of float have an f at the end.
#define GANTRY_PAIR_OF_CALLS(before, name, parameters, callee, arguments)                          \
  before double name parameters(double) {                                                          \
    return callee arguments;                                                                       \
  }                                                                                                \
  before float name##f parameters(float) {                                                         \
    return callee##f arguments;                                                                    \
  }

/// The function of float of one whose function of double is defined, computed by that.
#define GANTRY_OF_FLOAT(before, name, parameters, arguments)                                       \
  before float name##f parameters {                                                                \
    return static_cast<float>(name arguments);                                                     \
  }
