// Integers: a histogram by atomic additions, and a sort by a network of comparisons, which launches
// a kernel for each step.
#include "shape.h"

namespace {

constexpr int kSize = 1 << 22;
constexpr int kBins = 1024;
constexpr int kSorted = 1 << 17;

void count_bins(const unsigned* keys, unsigned* bins) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < kSize; ++i) {
#pragma omp atomic update
    bins[keys[i] % kBins] += 1;
  }
}

void sort(unsigned* keys) {
  for (int length = 2; length <= kSorted; length *= 2) {
    for (int distance = length / 2; distance > 0; distance /= 2) {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < kSorted / 2; ++i) {
        const int low = i / distance * 2 * distance + i % distance;
        const int high = low + distance;
        const bool descending = (low & length) != 0;
        const unsigned a = keys[low];
        const unsigned b = keys[high];
        if ((a > b) != descending) {
          keys[low] = b;
          keys[high] = a;
        }
      }
    }
  }
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  std::vector<unsigned> all(kSize);
  for (int i = 0; i < kSize; ++i) {
    all[i] = static_cast<unsigned>(random_of(i) * 0x1p32);
  }
  std::vector<unsigned> counts(kBins, 0);
  std::vector<unsigned> sorted(kSorted);
  unsigned* keys = all.data();
  unsigned* bins = counts.data();
  unsigned* some = sorted.data();
#pragma omp target enter data map(to : keys[ : kSize], bins[ : kBins]) map(alloc : some[ : kSorted])
  shape.row(
      "integers-histogram", [&] { count_bins(keys, bins); },
      [&] {
#pragma omp target update from(bins[ : kBins])
        double weighted = 0;
        for (int i = 0; i < kBins; ++i) {
          weighted += static_cast<double>(bins[i]) * i;
        }
        return weighted;
      });
  shape.row(
      "integers-sort",
      [&] {
        sorted.assign(all.begin(), all.begin() + kSorted);
#pragma omp target update to(some[ : kSorted])
        sort(some);
      },
      [&] {
#pragma omp target update from(some[ : kSorted])
        double inversions = 0;
        for (int i = 1; i < kSorted; ++i) {
          inversions += sorted[i - 1] > sorted[i] ? 1 : 0;
        }
        return inversions + sorted[kSorted / 2];
      });
}
