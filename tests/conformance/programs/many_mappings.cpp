// Hundreds of neighbouring objects of one arena that come and go, and objects over what were two.
#include "conformance.h"

using conformance::is_present;

static const int kBlocks = 400;
static const int kSize = 4096; // bytes of a block
static const int kElements = kSize / (int)sizeof(int);

/// Maps all blocks, takes `gone` and the one behind it off the device and maps one object over
/// both. A region that maps a part of it finds that, and its result is what the object's end brings
/// back.
static void one_object_over(int* arena, int gone) {
  for (int i = 0; i < kBlocks; ++i) {
    int* block = arena + i * kElements;
#pragma omp target enter data map(to : block[0 : kElements])
  }
  int* first = arena + gone * kElements;
  int* second = first + kElements;
#pragma omp target exit data map(delete : first[0 : kElements])
#pragma omp target exit data map(delete : second[0 : kElements])
  CHECK(!is_present(first) && !is_present(second));
#pragma omp target data map(tofrom : first[0 : 2 * kElements])
  {
    CHECK(is_present(first) && is_present(second) && is_present(second + kElements - 1));
    CHECK(omp_get_mapped_ptr(second, omp_get_default_device()) ==
          (char*)omp_get_mapped_ptr(first, omp_get_default_device()) + kSize);
#pragma omp target map(tofrom : second[1 : 2])
    second[1] = gone + 7;
  }
  CHECK_EQUAL(second[1], gone + 7);
  second[1] = 0;
  for (int i = 0; i < kBlocks; ++i) {
    int* block = arena + i * kElements;
    CHECK_EQUAL(is_present(block), i != gone && i != gone + 1);
    CHECK_EQUAL(is_present(block + kElements - 1), i != gone && i != gone + 1);
#pragma omp target exit data map(delete : block[0 : kElements])
  }
}

CASE(one_object_over_what_were_two, "map.former-neighbours") {
  int* arena = (int*)calloc(kBlocks, kSize);
  // 69, 139 and 209 are the blocks at which a table of 70 entries a leaf goes on to the next.
  const int gone[] = {0, 1, 39, 40, 68, 69, 70, 79, 80, 138, 139, 140, 209, 279, 349, 398};
  for (unsigned i = 0; i < sizeof gone / sizeof *gone; ++i) {
    one_object_over(arena, gone[i]);
  }
  free(arena);
}

CASE(objects_that_grow_over_their_neighbours, "map.former-neighbours") {
  char* arena = (char*)calloc(kBlocks, 64);
  int length[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    char* block = arena + i * 64;
    length[i] = 64;
#pragma omp target enter data map(to : block[0 : 64])
  }
  // Each second one swallows the one behind it, until one is left.
  for (int step = 1; step < kBlocks; step *= 2) {
    for (int i = 0; i + step < kBlocks; i += 2 * step) {
      char* block = arena + i * 64;
      char* behind = block + step * 64;
#pragma omp target exit data map(release : block[0 : length[i]])
#pragma omp target exit data map(release : behind[0 : length[i + step]])
      length[i] += length[i + step];
#pragma omp target enter data map(to : block[0 : length[i]])
      CHECK(is_present(behind) && is_present(block + length[i] - 1));
    }
  }
  CHECK_EQUAL(length[0], kBlocks * 64);
#pragma omp target
  arena[kBlocks * 64 - 1] = 5;
#pragma omp target exit data map(from : arena[0 : length[0]])
  CHECK_EQUAL(arena[kBlocks * 64 - 1], 5);
  CHECK(!is_present(arena) && !is_present(arena + 64 * 100));
  free(arena);
}
