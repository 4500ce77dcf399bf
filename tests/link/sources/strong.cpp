// Replaces the weak definitions of weak.cpp.
#pragma omp declare target
int replaceable() {
  return 2;
}
int replaceable_variable = 2;
#pragma omp end declare target
