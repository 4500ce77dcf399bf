// declare target variables: storage of their own on the device, present for ever, constructed and
// destroyed there; link variables, present when mapped.
#include "conformance.h"

#include <string>
#include <unistd.h>

#pragma omp declare target
int counter = 40;
// Initialised in full: Clang 19 and 22 refuse a declare target array with many zeros at its end.
double table[3] = {0.5, 1.5, 4};

// Where the device's constructors leave their traces.
int trace[3] = {-1, -1, -1};
int length = 0;

/// Writes its number there; its destructor to stdout.
struct Tracer {
  explicit Tracer(int number) : number_(number) { trace[length++] = number; }
  ~Tracer() {
    // Seen on stdout, as the host cannot read any more.
    if (!omp_is_initial_device()) {
      printf("destroyed %d\n", number_);
      fflush(stdout);
    }
  }
  int number_;
};
Tracer first(1);
Tracer second(2);
int number_in_constructor = omp_get_device_num();
#pragma omp end declare target

int linked[4] = {1, 2, 3, 4};
#pragma omp declare target link(linked)

CASE(variables_have_storage_of_their_own, "declare-target.to", "declare-target.infinite-count",
     "declare-target.update") {
  counter = 1; // the host's; the device keeps 40
  int seen = 0;
#pragma omp target map(from : seen)
  seen = ++counter;
  CHECK_EQUAL(seen, 41);
  CHECK_EQUAL(counter, 1);
#pragma omp target update from(counter)
  CHECK_EQUAL(counter, 41);
  counter = 7;
#pragma omp target update to(counter)
#pragma omp target map(from : seen)
  seen = counter;
  CHECK_EQUAL(seen, 7);
  CHECK(omp_target_is_present(&counter, omp_get_default_device()));
  // An infinite count: neither map copies it, delete does not remove it.
  double* const alias = table;
#pragma omp target exit data map(delete : alias[0 : 3])
  CHECK(omp_target_is_present(table, omp_get_default_device()));
  table[0] = 100;
  double there = 0;
#pragma omp target data map(tofrom : alias[0 : 3])
  {
#pragma omp target map(from : there)
    there = table[0] + table[1] + table[2];
  }
  CHECK(there == 6.0);
}

CASE(constructors_run_in_order, "declare-target.constructors") {
  int count = 0;
  int order = 0;
  int number = -2;
#pragma omp target map(from : count, order, number)
  {
    count = length;
    order = trace[0] * 10 + trace[1];
    number = number_in_constructor;
  }
  CHECK_EQUAL(count, 2);
  CHECK_EQUAL(order, 12);
  CHECK_EQUAL(number, omp_get_default_device());
}

CASE(destructors_run_in_reverse_order, "declare-target.destructors") {
  // They run when the process ends, so that another one has to be looked at.
  char path[4096] = {}; // the shell has a /proc/self of its own
  CHECK(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
  const std::string command = std::string(path) + " constructors_run_in_order";
  FILE* output = popen(command.c_str(), "r");
  CHECK(output != nullptr);
  int first_number = 0;
  int second_number = 0;
  CHECK_EQUAL(fscanf(output, "destroyed %d\ndestroyed %d\n", &first_number, &second_number), 2);
  CHECK_EQUAL(pclose(output), 0);
  CHECK(first_number == 2 && second_number == 1);
}

CASE(link_variables_are_present_when_mapped, "declare-target.link") {
#pragma omp target map(tofrom : linked)
  for (int i = 0; i < 4; ++i) { // in a range-based loop Clang would use the host's name
    linked[i] += 10;
  }
  CHECK_EQUAL(linked[3], 14);
#pragma omp target enter data map(to : linked)
  int sum = 0;
#pragma omp target map(from : sum)
  {
    sum = linked[0] + linked[1];
    linked[2] = 99;
  }
  CHECK_EQUAL(sum, 23);
#pragma omp target exit data map(from : linked)
  CHECK_EQUAL(linked[2], 99);
}

CASE(pointers_to_variables_are_attached, "declare-target.attach") {
  // A struct whose pointer is attached to storage that only the device has.
  struct Holder {
    int* p;
    int padding;
  } holder{&counter, 0};
  counter = 5;
#pragma omp target update to(counter)
  counter = 6; // the host's
  int seen = 0;
#pragma omp target map(tofrom : holder, holder.p[0 : 1]) map(from : seen)
  seen = *holder.p;
  CHECK_EQUAL(seen, 5);
  CHECK(holder.p == &counter);
}
