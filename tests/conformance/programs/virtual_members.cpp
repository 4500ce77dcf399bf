// Virtual calls, as most programs are compiled.
// flags: -fopenmp-version=52 -O2 -Wno-openmp-mapping
// compilers: clang22 clang19
#include "cases/virtual_members.h"
