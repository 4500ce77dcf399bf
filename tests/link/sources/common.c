// With -fcommon, and SIZE: tentative definitions of one device variable in two objects.
#include <omp.h>
#include <stdio.h>

#pragma omp declare target
int table[SIZE];
#pragma omp end declare target

#ifdef MAIN
int main(void) {
  int result = 0;
#pragma omp target map(from : result)
  {
    table[99] = 7; // beyond what the other object reserves
    result = omp_is_initial_device() ? 0 : table[99] + (int)sizeof table;
  }
  printf("%d\n", result);
  return 0;
}
#endif
