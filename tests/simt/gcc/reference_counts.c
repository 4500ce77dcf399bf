// What constructs count, and pointers that are attached to what is present already.
#include "device.h"

struct pair {
  int first, middle, last;
};

struct owner {
  int* values;
  int count;
};

static struct owner owner;

int main(int argc, char** argv) {
  (void)argv;
  require_device();
  const int device = omp_get_default_device();

  // A section that turns out to have no elements counts like any other.
  int a[10] = {0};
  int* p = a;
  const int none = argc - 1;
#pragma omp target enter data map(to : p[0 : 10])
#pragma omp target enter data map(to : p[0 : none])
#pragma omp target exit data map(from : p[0 : none])
  CHECK(omp_target_is_present(p, device));
#pragma omp target exit data map(delete : p[0 : 10])
  CHECK(!omp_target_is_present(p, device) || host_is_allowed());

  // Members of a structure count once together.
  struct pair pair = {1, 2, 3};
#pragma omp target enter data map(to : pair.first, pair.last)
#pragma omp target enter data map(to : pair.first, pair.last)
#pragma omp target exit data map(from : pair.first, pair.last)
  CHECK(omp_target_is_present(&pair.first, device));
#pragma omp target exit data map(from : pair.first, pair.last)
  CHECK(!omp_target_is_present(&pair.first, device) || host_is_allowed());

  // A region of use_device_ptr holds nothing.
  int* r = a;
#pragma omp target enter data map(to : r[0 : 10])
#pragma omp target data use_device_ptr(r)
  {
#pragma omp target exit data map(release : a)
  }

  // Neither the pointer nor what it points to is new.
  int ones[10];
  int twos[10];
  int seen = -1;
  for (int i = 0; i < 10; ++i) {
    ones[i] = 1;
    twos[i] = 2;
  }
#pragma omp target enter data map(to : owner)
#pragma omp target enter data map(to : ones, twos)
  owner.values = ones;
#pragma omp target map(to : owner.values[0 : 10]) map(from : seen)
  seen = owner.values[3];
  CHECK_EQUAL(seen, 1);
  owner.values = twos;
#pragma omp target map(to : owner.values[0 : 10]) map(from : seen)
  seen = owner.values[3];
  CHECK_EQUAL(seen, 2);
#pragma omp target exit data map(release : ones, twos, owner)
  printf("reference counts: %d\n", seen);
  return pass();
}
