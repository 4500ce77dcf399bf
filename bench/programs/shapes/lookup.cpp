// Monte Carlo transport's look-ups of cross sections: a binary search in one grid of energies, and
// for each nuclide of a material an index and an interpolation between two rows of tables that are
// far larger than any cache.
#include "shape.h"

#include <algorithm>
#include <numeric>

namespace {

constexpr int kNuclides = 64;
constexpr int kGridPoints = 10000;
constexpr int kKinds = 6; // an energy and five cross sections
constexpr long kUnion = static_cast<long>(kNuclides) * kGridPoints;
constexpr int kMaterials = 8;
constexpr int kMost = 40; // nuclides of a material
constexpr int kLookups = 60000;

struct Tables {
  std::vector<double> energies;  // kUnion, ascending
  std::vector<int> indices;      // kUnion rows of kNuclides: the point below
  std::vector<double> points;    // kNuclides × kGridPoints × kKinds
  std::vector<int> counts;       // kMaterials
  std::vector<int> nuclides;     // kMaterials × kMost
  std::vector<double> densities; // kMaterials × kMost
};

Tables make_tables() {
  Tables tables;
  tables.points.resize(static_cast<std::size_t>(kUnion) * kKinds);
  std::vector<double> column(kGridPoints);
  for (int nuclide = 0; nuclide < kNuclides; ++nuclide) {
    for (int i = 0; i < kGridPoints; ++i) {
      column[i] = random_of(static_cast<std::uint64_t>(nuclide) * kGridPoints + i);
    }
    std::sort(column.begin(), column.end());
    for (int i = 0; i < kGridPoints; ++i) {
      double* point =
          &tables.points[(static_cast<std::size_t>(nuclide) * kGridPoints + i) * kKinds];
      point[0] = column[i];
      for (int kind = 1; kind < kKinds; ++kind) {
        point[kind] = random_of(nuclide * 77777777UL + i * kKinds + kind);
      }
      tables.energies.push_back(column[i]);
    }
  }
  std::sort(tables.energies.begin(), tables.energies.end());
  tables.indices.resize(static_cast<std::size_t>(kUnion) * kNuclides);
  std::vector<int> below(kNuclides, 0);
  for (long row = 0; row < kUnion; ++row) {
    for (int nuclide = 0; nuclide < kNuclides; ++nuclide) {
      const double* points =
          &tables.points[static_cast<std::size_t>(nuclide) * kGridPoints * kKinds];
      while (below[nuclide] < kGridPoints - 2 &&
             points[(below[nuclide] + 1) * kKinds] <= tables.energies[row]) {
        ++below[nuclide];
      }
      tables.indices[row * kNuclides + nuclide] = below[nuclide];
    }
  }
  tables.counts = {33, 5, 4, 26, 21, 9, 12, 3};
  for (int material = 0; material < kMaterials; ++material) {
    for (int i = 0; i < kMost; ++i) {
      tables.nuclides.push_back((material * 13 + i * 5) % kNuclides);
      tables.densities.push_back(random_of(material * kMost + i));
    }
  }
  return tables;
}

// Finds the row of the grid whose energy is the last one that is not above `energy`.
long search(const double* energies, long size, double energy) {
  long low = 0;
  while (size > 1) {
    const long half = size / 2;
    if (energies[low + half] <= energy) {
      low += half;
      size -= half;
    } else {
      size = half;
    }
  }
  return low;
}

long look_up(const double* energies, const int* indices, const double* points, const int* counts,
             const int* nuclides, const double* densities, int lookups) {
  long verification = 0;
#pragma omp target teams distribute parallel for reduction(+ : verification)                       \
    map(tofrom : verification)
  for (int i = 0; i < lookups; ++i) {
    const double energy = random_of(2 * i);
    const double share = random_of(2 * i + 1);
    // The fuel is looked up most often.
    const int material =
        share < 0.4 ? 0 : 1 + static_cast<int>((share - 0.4) / 0.6 * (kMaterials - 1));
    const long row = search(energies, kUnion, energy);
    double sums[kKinds - 1] = {};
    for (int j = 0; j < counts[material]; ++j) {
      const int nuclide = nuclides[material * kMost + j];
      const int index = indices[row * kNuclides + nuclide];
      const double* low = &points[(static_cast<long>(nuclide) * kGridPoints + index) * kKinds];
      const double* high = low + kKinds;
      const double f = (high[0] - energy) / (high[0] - low[0]);
      for (int kind = 0; kind < kKinds - 1; ++kind) {
        sums[kind] += densities[material * kMost + j] *
                      (high[kind + 1] - f * (high[kind + 1] - low[kind + 1]));
      }
    }
    int largest = 0;
    for (int kind = 1; kind < kKinds - 1; ++kind) {
      largest = sums[kind] > sums[largest] ? kind : largest;
    }
    verification += largest + 1;
  }
  return verification;
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  const Tables tables = make_tables();
  const double* energies = tables.energies.data();
  const int* indices = tables.indices.data();
  const double* points = tables.points.data();
  const int* counts = tables.counts.data();
  const int* nuclides = tables.nuclides.data();
  const double* densities = tables.densities.data();
  long verification = 0;
#pragma omp target enter data map(to : energies[ : kUnion], indices[ : kUnion * kNuclides])        \
    map(to : points[ : kUnion * kKinds], counts[ : kMaterials])                                    \
    map(to : nuclides[ : kMaterials * kMost], densities[ : kMaterials * kMost])
  shape.row(
      "lookup",
      [&] {
        verification = look_up(energies, indices, points, counts, nuclides, densities, kLookups);
      },
      [&] { return verification; });
}
