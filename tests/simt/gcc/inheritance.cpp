// Class hierarchies without virtual functions, mapped from the host, with empty bases, conversions
// to bases, members by pointer and static polymorphism.
#include "device.h"

#include <cstdint>

#pragma omp declare target
struct Empty {};
struct Position {
  float x = 0;
  float y = 0;
};
struct Weight {
  double kilograms = 0;
};
struct Body : Empty, Position, Weight {
  int id = 0;
  float distance() const { return x * x + y * y; }
};

template <typename Derived>
struct Counter {
  int count() const { return static_cast<const Derived*>(this)->step() * 3; }
};
struct Slow : Counter<Slow> {
  int step() const { return 1; }
};
struct Fast : Counter<Fast> {
  int step() const { return 10; }
};

static double weight_of(const Weight& weight) {
  return weight.kilograms;
}
#pragma omp end declare target

int main() {
  require_device();
  Body bodies[10];
  for (int i = 0; i < 10; ++i) {
    bodies[i].x = float(i);
    bodies[i].y = 2;
    bodies[i].kilograms = 10 * i;
    bodies[i].id = 100 + i;
  }
  double weights = 0;
  float distances = 0;
  int members = 0;
  int counts = 0;
#pragma omp target map(tofrom : bodies, weights, distances) map(from : members, counts)
  {
    members = 0;
    float Position::* coordinate = &Position::y;
    for (int i = 0; i < 10; ++i) {
      weights += weight_of(bodies[i]);
      distances += bodies[i].distance();
      members += int(bodies[i].*coordinate);
      coordinate = coordinate == &Position::y ? &Position::x : &Position::y;
      Position& position = bodies[i];
      position.y = float(i);
    }
    counts = Slow().count() + Fast().count();
  }
  CHECK(weights == 450);
  CHECK(distances == 285 + 40);
  CHECK_EQUAL(members, 10 + 25);
  CHECK_EQUAL(counts, 33);
  CHECK(bodies[7].y == 7 && bodies[7].id == 107);
  printf("inheritance: %g\n", weights);
  return pass();
}
