// Functions called by pointer, with the device code optimised at the link.
// flags: -fopenmp-version=52 -O2 -foffload-lto
#include "cases/indirect_functions.h"
