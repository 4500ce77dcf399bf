// Ways in which a profiled process goes on and ends; the first argument says which.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

static double x[4096], y[8][4096];

static void region(int device) {
#pragma omp target teams distribute parallel for map(tofrom : x) device(device) // region
  for (int i = 0; i < 4096; ++i)
    x[i] += 1;
}

static void threads() {
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 32; ++i) {
      double* const part = y[i % 8];
#pragma omp target teams distribute parallel for map(tofrom : part[0 : 4096]) device(i % 2) nowait \
depend(inout : part[0])
      for (int k = 0; k < 4096; ++k)
        part[k] += 1;
    }
  }
}

static void fault(int* null) {
#pragma omp target is_device_ptr(null) // fault
  *null = 1;
}

int main(int count, char** arguments) {
  const char* const way = count > 1 ? arguments[1] : "exit";
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  if (std::strcmp(way, "none") == 0)
    return 0;
  for (int i = 0; i < 3; ++i)
    region(0);
  std::puts("ran");
  if (std::strcmp(way, "abort") == 0)
    std::abort();
  if (std::strcmp(way, "_exit") == 0)
    _exit(3);
  if (std::strcmp(way, "kill") == 0)
    std::raise(SIGKILL);
  if (std::strcmp(way, "fault") == 0)
    fault(nullptr);
  if (std::strcmp(way, "threads") == 0)
    threads();
  if (std::strcmp(way, "many") == 0)
    for (int i = 0; i < 3000; ++i) {
#pragma omp target map(tofrom : x[0 : 4])
      x[1] += 1;
    }
  if (std::strcmp(way, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      region(0);
      _exit(x[0] == 4 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? 0 : 1;
  }
  if (std::strcmp(way, "exec") == 0)
    execl(arguments[0], arguments[0], "exit", static_cast<char*>(nullptr));
  return std::strcmp(way, "fail") == 0 ? 7 : 0;
}
