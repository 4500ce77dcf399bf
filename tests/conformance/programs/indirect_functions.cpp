// Functions called by pointer, as most programs are compiled.
// flags: -fopenmp-version=52 -O2
// compilers: clang22 clang19
#include "cases/indirect_functions.h"
