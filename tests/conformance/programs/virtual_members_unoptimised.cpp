// Virtual calls, without optimisation.
// flags: -fopenmp-version=52 -O0 -Wno-openmp-mapping
#include "cases/virtual_members.h"
