// Constructors and destructors of objects of the device: order, members, copies, moves, arrays,
// private and firstprivate copies.
#include "device.h"

#include <utility>

#pragma omp declare target
static int trace[64];
static int length;

class Tracer {
public:
  Tracer() : number_(0) { add(1); }
  explicit Tracer(int number) : number_(number) { add(100 + number); }
  Tracer(const Tracer& other) : number_(other.number_ + 1) { add(200 + number_); }
  Tracer(Tracer&& other) noexcept : number_(other.number_) {
    other.number_ = -1;
    add(300 + number_);
  }
  Tracer& operator=(const Tracer& other) {
    number_ = other.number_;
    add(400 + number_);
    return *this;
  }
  ~Tracer() { add(-number_ - 1000); }
  int number() const { return number_; }

private:
  static void add(int what) { trace[length++] = what; }
  int number_;
};

struct Owner {
  Owner() : first(5), second() {}
  Tracer first;
  Tracer second;
};

struct Counted {
  explicit Counted(int* place) : balance(place), value(3) {}
  Counted(const Counted& other) : balance(other.balance), value(other.value + 1) {
#pragma omp atomic
    *balance += 1;
  }
  ~Counted() {
#pragma omp atomic
    *balance -= 1;
  }
  int* balance;
  int value;
};

static void make_objects() {
  length = 0;
  Tracer a(1);
  Tracer b = a;
  Tracer c = std::move(b);
  a = c;
  Owner owner;
  Tracer list[2] = {Tracer(8), Tracer(9)};
  const Tracer& extended = Tracer(20);
  list[0] = extended;
}
#pragma omp end declare target

int main() {
  require_device();
  int seen[64];
  int count = 0;
#pragma omp target map(from : seen, count)
  {
    make_objects();
    count = length;
    for (int i = 0; i < count; ++i) {
      seen[i] = trace[i];
    }
  }
  const int expected[] = {101, 202,   302,   402,   105,   1,     108,   109,  120,
                          420, -1020, -1009, -1020, -1000, -1005, -1002, -999, -1002};
  CHECK_EQUAL(count, (int)(sizeof expected / sizeof *expected));
  for (int i = 0; i < count; ++i) {
    CHECK_EQUAL(seen[i], expected[i]);
  }

  int balance = 0;
  int numbers = 0;
#pragma omp target map(tofrom : balance, numbers)
  {
    balance = 1;
    {
      Counted counted(&balance);
#pragma omp parallel num_threads(4) firstprivate(counted) reduction(max : numbers)
      numbers = counted.value;
    }
  }
  CHECK_EQUAL(balance, 0);
  CHECK_EQUAL(numbers, 4);
  printf("constructors: %d steps\n", count);
  return pass();
}
