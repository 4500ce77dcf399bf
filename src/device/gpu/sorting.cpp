// qsort and bsearch of C's <stdlib.h>.
#include "device/gpu/standard_library.h"

namespace gantry::device {

namespace {

using Compare = int (*)(const void*, const void*);

void swap(char* left, char* right, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const char kept = left[i];
    left[i] = right[i];
    right[i] = kept;
  }
}

/// Restores the heap `first[0, count)`, in which only `root` may be smaller than its children.
void sift_down(char* first, size_t root, size_t count, size_t size, Compare compare) {
  for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && compare(first + child * size, first + (child + 1) * size) < 0) {
      ++child;
    }
    if (compare(first + root * size, first + child * size) >= 0) {
      return;
    }
    swap(first + root * size, first + child * size, size);
    root = child;
  }
}

} // namespace

extern "C" {

/// Heapsort: without recursion, in place, and fast however the elements lie.
GANTRY_WEAK void qsort(void* elements, size_t count, size_t size, Compare compare) {
  auto* const first = static_cast<char*>(elements);
  for (size_t root = count / 2; root-- > 0;) {
    sift_down(first, root, count, size, compare);
  }
  for (size_t last = count; last-- > 1;) {
    swap(first, first + last * size, size);
    sift_down(first, 0, last, size, compare);
  }
}

GANTRY_WEAK void* bsearch(const void* wanted, const void* elements, size_t count, size_t size,
                          Compare compare) {
  const auto* first = static_cast<const char*>(elements);
  while (count > 0) {
    const char* const middle = first + count / 2 * size;
    const int order = compare(wanted, middle);
    if (order == 0) {
      return const_cast<char*>(middle);
    }
    if (order > 0) {
      first = middle + size;
      count -= count / 2 + 1;
    } else {
      count /= 2;
    }
  }
  return nullptr;
}

} // extern "C"

} // namespace gantry::device
