// What device code of a GPU is made of: reductions over teams, a generic kernel with memory of the
// heap, a critical construct and copyprivate, a call through a pointer of the host's, a virtual
// call, mathematics, a variable with a constructor.
#include <cmath>
#include <cstdio>

#pragma omp begin declare target
struct Shape {
  virtual double area() const { return 1; }
  virtual ~Shape() = default;
};
struct Circle : Shape {
  double radius;
  explicit Circle(double r) : radius(r) {}
  double area() const override { return 3 * radius * radius; }
};
struct Counter {
  volatile int value = 0; // so that no compiler has its value in advance
  Counter() { value = value + 39; }
} counter;
#pragma omp end declare target

#pragma omp begin declare target indirect
double twice(double x) {
  return 2 * x;
}
#pragma omp end declare target

int main() {
  double sum = 0, mathematics = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum, mathematics)
  for (int i = 1; i <= 1000; ++i) {
    int exponent = 0;
    double whole = 0;
    sum += i;
    mathematics += std::exp(std::log(double(i))) + std::pow(std::sqrt(double(i)), 2.0) +
                   2 * std::frexp(double(i), &exponent) - 2 * std::ldexp(double(i), -exponent) +
                   std::modf(i + 0.5, &whole) + std::fmod(i, 1.0);
  }

  double (*function)(double) = twice;
  double areas = 0, last = 0;
  int count = 0, wrong = 0;
#pragma omp target thread_limit(64) map(tofrom : areas, last, count, wrong)
  {
    const Circle circle(2);
    const Shape& shape = circle;
    areas = shape.area() + function(counter.value);
    auto* numbers = new double[100];
#pragma omp parallel for reduction(+ : count)
    for (int i = 0; i < 100; ++i) {
      numbers[i] = i;
      ++count;
#pragma omp critical(last)
      last = numbers[i] > last ? numbers[i] : last;
    }
    delete[] numbers;
#pragma omp parallel reduction(+ : wrong)
    {
      int copied = 0;
#pragma omp single copyprivate(copied)
      copied = 7;
      wrong += copied != 7;
    }
  }
  std::printf("%g %.0f %g %g %d %d\n", sum, mathematics, areas, last, count, wrong);
}
