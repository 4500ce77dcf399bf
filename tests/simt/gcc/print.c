// printf and puts on the device: what is printed comes out before what the host prints next.
#include "device.h"

#include <string.h>
#include <unistd.h>

static char text[4096];

/// Sends what the device prints to a file for a while.
static int redirect(FILE* file) {
  fflush(stdout);
  const int old = dup(1);
  dup2(fileno(file), 1);
  return old;
}

static void restore(int old, FILE* file) {
  fflush(stdout);
  dup2(old, 1);
  close(old);
  rewind(file);
  const size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = 0;
}

int main(void) {
  require_device();
  FILE* file = tmpfile();
  CHECK(file);
  const int old = redirect(file);
  const char message[] = "from the host";
#pragma omp target map(to : message)
  {
    printf("plain\n");
    printf("%d %u %x %o %c|%5d|%-5d|%05d\n", -7, 7u, 255u, 8u, 'z', 42, 42, 42);
    printf("%ld %lld %lu %hd %lx\n", -1L, 1LL << 40, ~0UL, (short)-3, 0xFEDCBA987654UL);
    printf("%.3f %8.2f %e %g %g\n", 3.14159, -2.5, 12345.678, 0.0001, 1e20);
    printf("%s %10s|%-10s| %%\n", "constant", message, "left");
    printf("%c%c%c%c%c%c%c %d %d %d %d %d %f\n", 'm', 'a', 'n', 'y', ' ', 'a', 'r', 1, 2, 3, 4, 5,
           6.5);
    puts("puts");
    printf("%c", '!');
    printf("\n");
  }
  restore(old, file);
  const char expected[] = "plain\n"
                          "-7 7 ff 10 z|   42|42   |00042\n"
                          "-1 1099511627776 18446744073709551615 -3 fedcba987654\n"
                          "3.142    -2.50 1.234568e+04 0.0001 1e+20\n"
                          "constant from the host|left      | %\n"
                          "many ar 1 2 3 4 5 6.500000\n"
                          "puts\n"
                          "!\n";
  if (strcmp(text, expected) != 0) {
    fprintf(stderr, "printed:\n%s", text);
  }
  CHECK(strcmp(text, expected) == 0);

  // One line of each thread, in whatever order.
  file = tmpfile();
  CHECK(file);
  const int old_again = redirect(file);
  int threads = 0;
#pragma omp target map(tofrom : threads)
#pragma omp parallel num_threads(4)
  {
    printf("thread %d\n", omp_get_thread_num());
#pragma omp master
    threads = omp_get_num_threads();
  }
  restore(old_again, file);
  for (int thread = 0; thread < threads; ++thread) {
    char line[32];
    snprintf(line, sizeof line, "thread %d\n", thread);
    CHECK(strstr(text, line));
  }
  CHECK_EQUAL(strlen(text), (size_t)threads * strlen("thread 0\n"));
  printf("print: 8 lines\n");
  return pass();
}
