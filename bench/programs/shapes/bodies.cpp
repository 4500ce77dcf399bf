// Gravity between all pairs of bodies, in single precision with a reciprocal square root.
#include "shape.h"

#include <cmath>

namespace {

constexpr int kBodies = 6144;

struct Body {
  float x;
  float y;
  float z;
  float mass;
};

void accelerate(const Body* bodies, float* acceleration, int count) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < count; ++i) {
    float x = 0;
    float y = 0;
    float z = 0;
    for (int j = 0; j < count; ++j) {
      const float dx = bodies[j].x - bodies[i].x;
      const float dy = bodies[j].y - bodies[i].y;
      const float dz = bodies[j].z - bodies[i].z;
      const float inverse = 1.0F / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3F);
      const float pull = bodies[j].mass * inverse * inverse * inverse;
      x += pull * dx;
      y += pull * dy;
      z += pull * dz;
    }
    acceleration[3 * i] = x;
    acceleration[3 * i + 1] = y;
    acceleration[3 * i + 2] = z;
  }
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  std::vector<Body> all(kBodies);
  for (int i = 0; i < kBodies; ++i) {
    const auto at = [i](int k) { return static_cast<float>(random_of(i * 4UL + k)); };
    all[i] = {at(0), at(1), at(2), at(3)};
  }
  std::vector<float> result(3 * kBodies);
  const Body* bodies = all.data();
  float* acceleration = result.data();
#pragma omp target enter data map(to : bodies[ : kBodies]) map(to : acceleration[ : 3 * kBodies])
  shape.row(
      "bodies", [&] { accelerate(bodies, acceleration, kBodies); },
      [&] {
#pragma omp target update from(acceleration[ : 3 * kBodies])
        double sizes = 0;
        for (const float part : result) {
          sizes += std::fabs(part);
        }
        return sizes;
      });
}
