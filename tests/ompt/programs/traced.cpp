// Uses the functions of the tool that it is linked with, tools/tracer.cpp: what is flushed is
// there, what happens in a pause is not, and a trace that was stopped may begin again.
#include <cstdio>

#include <omp.h>

extern "C" {
int tracer_start();
int tracer_flush();
int tracer_pause(int begin);
int tracer_stop();
unsigned long tracer_records();
}

static int failures = 0;

static void check(bool right, const char* what) {
  if (!right) {
    std::printf("wrong: %s\n", what);
    ++failures;
  }
}

static void region() {
  int value = 1;
#pragma omp target map(tofrom : value)
  value = 2;
  check(value == 2, "the region has not run");
}

int main() {
  // Two of the region, its launch, and of its object four on devices with memory of their own.
  region();
  check(tracer_flush() == 1, "a flush fails");
  const unsigned long of_one = tracer_records();
  check(of_one == 3 || of_one == 7, "a region has three records, or seven");
  check(tracer_flush() == 1 && tracer_records() == of_one, "nothing is flushed twice");
  check(tracer_pause(1) == 1, "a pause does not begin");
  region();
  check(tracer_pause(0) == 1, "a pause does not end");
  check(tracer_flush() == 1 && tracer_records() == of_one, "there are records of a pause");
  region();
  region();
  check(tracer_stop() == 1, "a trace does not stop");
  check(tracer_records() == 3 * of_one, "a stop delivers what there is");
  region();
  check(tracer_flush() == 0 && tracer_stop() == 0, "a trace that was stopped is flushed");
  check(tracer_start() == 1, "a trace does not begin again");
  region();
  check(tracer_stop() == 1 && tracer_records() == 4 * of_one, "a second trace has no records");
  check(tracer_start() == 1, "a trace does not begin a third time");
  region(); // delivered when the device is finished
  std::printf("records %lu\n", of_one);
  return failures;
}
