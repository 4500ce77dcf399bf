// Virtual calls, with the device code optimised at the link.
// flags: -fopenmp-version=52 -O2 -foffload-lto -Wno-openmp-mapping
// compilers: clang22 clang19
#include "cases/virtual_members.h"
