// Virtual calls, without optimisation.
// flags: -fopenmp-version=52 -O0 -Wno-openmp-mapping
// compilers: clang22 clang19
#include "cases/virtual_members.h"
