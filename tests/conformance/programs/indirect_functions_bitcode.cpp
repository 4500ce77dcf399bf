// Functions called by pointer, with the device code optimised at the link.
// flags: -fopenmp-version=52 -O2 -foffload-lto
// compilers: clang22 clang19
#include "cases/indirect_functions.h"
