// A mistake that every device refuses: a section is mapped, and then the whole object.
#include <cstdio>

int main() {
  int values[100] = {};
  int* part = values;
#pragma omp target data map(tofrom : part[0 : 50])
#pragma omp target data map(tofrom : values)
  std::puts("both are mapped");
}
