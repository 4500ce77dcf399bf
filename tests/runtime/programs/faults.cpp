// Every construct and routine once, for a device on which any call may fail. What fails ends the
// program with a message, or is answered by the routine, or is done by the host: whatever is
// printed in the end, the results are right. A second device is used throughout.
#include "check.h"

#pragma omp begin declare target
int counter = 5;
#pragma omp end declare target

static const int kFaulty = 0;
static const int kSound = 1;

/// The other device goes on, whatever becomes of the first.
static void sound_device_works() {
  int x = 1;
  int on_host = 1;
#pragma omp target map(tofrom : x) map(from : on_host) device(kSound)
  {
    ++x;
    on_host = omp_is_initial_device();
  }
  CHECK_EQUAL(x, 2);
  CHECK(!on_host);
}

static void region() {
  int x = 1;
  int array[100] = {};
#pragma omp target map(tofrom : x) map(to : array) device(kFaulty)
  x += 1 + array[99];
  CHECK_EQUAL(x, 2);
}

static void data() {
  int array[100] = {};
  struct {
    int* pointer;
    long length;
  } holder{array, 100};
#pragma omp target data map(tofrom : array) device(kFaulty)
  {
#pragma omp target map(tofrom : array) device(kFaulty)
    for (int& element : array) {
      element += 1;
    }
#pragma omp target update from(array[0 : 50]) device(kFaulty)
    CHECK_EQUAL(array[49], 1);
    array[49] = 10;
#pragma omp target update to(array[49 : 1]) device(kFaulty)
#pragma omp target enter data map(to : holder, holder.pointer[0 : 100]) device(kFaulty)
#pragma omp target map(tofrom : holder) device(kFaulty)
    holder.pointer[49] += 1;
#pragma omp target exit data map(release : holder, holder.pointer[0 : 100]) device(kFaulty)
  }
  CHECK_EQUAL(array[49], 11);
  CHECK_EQUAL(array[99], 1);
  CHECK(holder.pointer == array);
}

static void variable() {
  counter = 7;
#pragma omp target update to(counter) device(kFaulty)
  int seen = 0;
#pragma omp target map(from : seen) device(kFaulty)
  seen = counter;
  CHECK_EQUAL(seen, 7);
}

static void tasks() {
  int x[4] = {};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int& element : x) {
#pragma omp target nowait map(tofrom : element) device(kFaulty)
      element += 3;
    }
#pragma omp taskwait
  }
  for (const int element : x) {
    CHECK_EQUAL(element, 3);
  }
}

/// True if all of it was done; what was not is answered as the standard says.
static bool routines() {
  const int host = omp_get_initial_device();
  int values[4] = {1, 2, 3, 4};
  int back[4] = {};
  void* memory = omp_target_alloc(sizeof values, kFaulty);
  if (memory == nullptr) {
    return false;
  }
  const bool there = omp_target_memcpy(memory, values, sizeof values, 0, 0, kFaulty, host) == 0;
  const bool here =
      there && omp_target_memcpy(back, memory, sizeof values, 0, 0, host, kFaulty) == 0;
  if (here) {
    CHECK_EQUAL(back[3], 4);
  }
  omp_target_free(memory, kFaulty);
  return here;
}

int main() {
  sound_device_works();
  region();
  data();
  variable();
  tasks();
  const bool all = routines();
  sound_device_works();
  puts(all ? "all was done" : "a routine answered its failure");
}
