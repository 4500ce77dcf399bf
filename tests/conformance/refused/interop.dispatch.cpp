// -fopenmp-version=60 | cannot compile this OpenMP dispatch directive yet
#include <omp.h>

void variant(int, omp_interop_t);
#pragma omp declare variant(variant) match(construct = {dispatch}) append_args(interop(target))
void base(int);

void region() {
#pragma omp dispatch
  base(1);
}
