// Variables of the device with constant initialisers, static locals and templates, and how
// regions and functions share them.
#include "device.h"

#pragma omp declare target
namespace device {
int number = 11;
const double factors[3] = {1.5, -2, 1e10};
constexpr int kLimit = 77;
struct Record {
  const char* name;
  int value;
  Record* next;
};
Record second = {"second", 2, nullptr};
Record first = {"first", 1, &second};
} // namespace device

struct Counter {
  static int next() {
    static int last = 40;
    return ++last;
  }
};
int shared = -5;

template <int n>
int slot = n * 1000;
#pragma omp end declare target

int main() {
  require_device();
  int results[9];
#pragma omp target map(from : results)
  {
    device::number += 1;
    results[0] = device::number;
    results[1] = int(device::factors[0] * 4 + device::factors[1]);
    results[2] = device::kLimit;
    results[3] = device::first.next->value * 100 + device::first.next->name[0];
    results[4] = Counter::next() + Counter::next();
    shared *= 3;
    results[5] = shared;
    results[6] = slot<3> + slot<4>;
    results[7] = device::first.name[4];
    results[8] = device::second.next == nullptr;
  }
  CHECK_EQUAL(results[0], 12);
  CHECK_EQUAL(results[1], 4);
  CHECK_EQUAL(results[2], 77);
  CHECK_EQUAL(results[3], 200 + 's');
  CHECK_EQUAL(results[4], 83);
  CHECK_EQUAL(results[5], -15);
  CHECK_EQUAL(results[6], 7000);
  CHECK_EQUAL(results[7], 't');
  CHECK_EQUAL(results[8], 1);

  int again = 0;
#pragma omp target map(from : again)
  again = Counter::next() * 100 + device::number;
  CHECK_EQUAL(again, 4312);
#pragma omp target update from(shared)
  CHECK_EQUAL(shared, -15);
  printf("static variables: %d\n", again);
  return pass();
}
