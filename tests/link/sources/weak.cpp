// Weak device definitions, for strong.cpp to replace.
#include <cstdio>
#include <omp.h>

#pragma omp declare target
__attribute__((weak, noinline)) int replaceable() {
  return 1;
}
__attribute__((weak)) int replaceable_variable = 1;
#pragma omp end declare target

int main() {
  int function = 0;
  int variable = 0;
#pragma omp target map(from : function, variable)
  {
    function = omp_is_initial_device() ? 0 : replaceable();
    variable = replaceable_variable;
  }
  std::printf("%d %d\n", function, variable);
}
