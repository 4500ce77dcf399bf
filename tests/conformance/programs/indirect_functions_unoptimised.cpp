// Functions called by pointer, without optimisation.
// flags: -fopenmp-version=52 -O0
// compilers: clang22 clang19
#include "cases/indirect_functions.h"
