// A mistake that a CPU forgives and a GPU does not: the region uses what line.ends points to, and
// no clause maps it.
#include <cstdio>

struct Line {
  int length;
  double* ends;
};

int main() {
  double ends[2] = {1.0, 2.0};
  Line line{2, ends};
  double sum = 0;
#pragma omp target map(to : line) map(tofrom : sum)
  for (int i = 0; i < line.length; ++i) {
    sum += line.ends[i];
  }
  std::printf("sum %.1f\n", sum);
}
