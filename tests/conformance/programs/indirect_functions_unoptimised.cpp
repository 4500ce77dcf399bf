// Functions called by pointer, without optimisation.
// flags: -fopenmp-version=52 -O0
#include "cases/indirect_functions.h"
