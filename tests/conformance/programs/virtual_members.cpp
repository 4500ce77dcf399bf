// Virtual calls, as most programs are compiled.
// flags: -fopenmp-version=52 -O2 -Wno-openmp-mapping
#include "cases/virtual_members.h"
