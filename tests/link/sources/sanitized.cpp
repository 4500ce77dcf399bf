// With an argument, the host does what the sanitizer of that name reports.
#include <climits>
#include <cstdio>
#include <cstring>
#include <omp.h>
#include <thread>

int shared_value = 0;

void write_past_the_end() {
  int* volatile values = new int[4];
  volatile int index = 4;
  values[index] = 1;
  delete[] values;
}

void race() {
  std::thread other([] { ++shared_value; });
  ++shared_value;
  other.join();
}

void overflow() {
  volatile int value = INT_MAX;
  value = value + 1;
}

int main(int argc, char** argv) {
  int values[8] = {};
  int on_host = 1;
#pragma omp target map(tofrom : values) map(from : on_host)
  {
    for (int i = 0; i < 8; ++i) {
      values[i] = i * i;
    }
    on_host = omp_is_initial_device();
  }
  std::printf("%d %s\n", values[7], on_host ? "host" : "device");
  std::fflush(stdout);
  const char* what = argc > 1 ? argv[1] : "";
  if (std::strcmp(what, "address") == 0) {
    write_past_the_end();
  } else if (std::strcmp(what, "thread") == 0) {
    race();
  } else if (std::strcmp(what, "undefined") == 0) {
    overflow();
  }
}
