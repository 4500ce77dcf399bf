// A process that has used a device forks; parent and child go on using it, each with a data
// environment of its own from there.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

#pragma omp begin declare target
int device_state = 1;
#pragma omp end declare target

/// Adds to a variable of the device and to one that is mapped already.
static int step(int* mapped) {
  int state = -1;
#pragma omp target map(from : state) map(tofrom : mapped[0 : 1])
  {
    state = omp_is_initial_device() ? -1 : ++device_state;
    ++mapped[0];
  }
  return state;
}

int main() {
  check_runs_on_device();
  int values[1] = {10};
#pragma omp target enter data map(to : values)
  CHECK_EQUAL(step(values), 2);

  const pid_t child = fork();
  CHECK(child >= 0);
  const bool in_child = child == 0;
  CHECK_EQUAL(step(values), 3);
  if (in_child) {
    CHECK_EQUAL(step(values), 4);
  }
#pragma omp target exit data map(from : values)
  CHECK_EQUAL(values[0], in_child ? 13 : 12);
  CHECK(!omp_target_is_present(values, omp_get_default_device()));
  if (in_child) {
    return 0;
  }
  int status = -1;
  CHECK_EQUAL(waitpid(child, &status, 0), child);
  CHECK_EQUAL(status, 0);
  printf("parent and child ran on the device\n");
}
