// Target regions inside member functions: `this`, members that are mapped, operators.
#include "device.h"

#pragma omp declare target
int weight = 2;

class Accumulator {
public:
  void operator()(int value) { sum_ += value * weight; }
  Accumulator& operator<<(int value) {
    (*this)(value);
    return *this;
  }
  explicit operator bool() const { return sum_ > 0; }
  long sum() const { return sum_; }

private:
  long sum_ = 0;
};
#pragma omp end declare target

class Field {
public:
  explicit Field(int size) : size_(size), cells_(new double[size]()) {
#pragma omp target enter data map(to : this[0 : 1], cells_[0 : size])
  }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;
  ~Field() {
#pragma omp target exit data map(delete : cells_[0 : size_], this[0 : 1])
    delete[] cells_;
  }

  void fill(double start) {
    double* cells = cells_;
    const int size = size_;
#pragma omp target teams distribute parallel for num_teams(4) map(cells[0 : size])
    for (int i = 0; i < size; ++i) {
      cells[i] = start + i;
    }
  }
  double sum() const {
    double result = 0;
    const double* cells = cells_;
#pragma omp target parallel for map(tofrom : result) map(to : cells[0 : size_])                    \
    reduction(+ : result)
    for (int i = 0; i < size_; ++i) {
      result += cells[i];
    }
    return result;
  }
  double last() {
    double result = 0;
#pragma omp target map(from : result)
    result = cells_[size_ - 1];
    return result;
  }
  void fetch() {
#pragma omp target update from(cells_[0 : size_])
  }
  double at(int i) const { return cells_[i]; }

private:
  int size_;
  double* cells_;
};

int main() {
  require_device();
  Field field(300);
  field.fill(0.5);
  CHECK(field.sum() == 299 * 150 + 150);
  CHECK(field.last() == 299.5);
  field.fetch();
  CHECK(field.at(10) == 10.5);

  long sum = 0;
  int positive = 0;
#pragma omp target map(from : sum, positive)
  {
    Accumulator accumulator;
    accumulator << 1 << 2 << 3;
    weight = 5;
    accumulator(10);
    sum = accumulator.sum();
    positive = accumulator ? 1 : 0;
  }
  CHECK_EQUAL(sum, 12 + 50);
  CHECK_EQUAL(positive, 1);
  printf("members: %g %ld\n", field.at(299), sum);
  return pass();
}
