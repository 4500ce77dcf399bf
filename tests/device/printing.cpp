// Prints on a device in the way that its arguments name.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const char* const kNames[] = {"conversions", "streams", "threads", "many",  "full",
                              "twice",       "assert",  "exit",    "fatal", "large"};

bool is(const char* how, int name) {
  return std::strcmp(how, kNames[name]) == 0;
}

void conversions() {
  const long far = 1L << 40;
  char text[] = "text";
#pragma omp target firstprivate(far) map(to : text)
  {
    char own[8] = {'o', 'w', 'n', '\0'};
    const int written = printf("|%d|%ld|%s|%5.2f|%*d|%c|%p|%%|%lld|\n", -1, far, text, 3.14159, 5,
                               42, 'x', reinterpret_cast<void*>(0x1234), -(1LL << 50));
    printf("%d %ld %d %f %d %s %hhd %.*s %-6s| %x\n", 1, 2L, 3, 4.5, 5, own, 0x1ff, 2, "abcd",
           "left", 255U);
    printf("%d\n", written);
  }
}

void streams() {
#pragma omp target
  {
    puts("puts");
    printf("printf\n");
    fprintf(stderr, "fprintf %d\n", 1);
    fputs("fputs %d\n", stdout);
    putchar('c');
    putchar('\n');
    printf("%s\n", "a line");
    fflush(stdout);
  }
}

void threads() {
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(64)
  for (int i = 0; i < 256; ++i) {
    printf("<%d>\n", i);
  }
}

void many(int count) {
#pragma omp target
  for (int i = 0; i < count; ++i) {
    printf("%d\n", i);
  }
}

void large() {
  constexpr std::size_t kSize = std::size_t{2} << 20;
  static char text[kSize];
  std::memset(text, 'x', kSize - 1);
  int written = 0;
#pragma omp target map(to : text) map(from : written)
  written = printf("%s", text);
  std::printf("%d\n", written);
  std::fflush(stdout);
#pragma omp target
  puts("afterwards");
}

} // namespace

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  if (is(how, 0)) {
    conversions();
  } else if (is(how, 1)) {
    streams();
  } else if (is(how, 2)) {
    threads();
  } else if (is(how, 3)) {
    many(1000);
  } else if (is(how, 4)) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 100000; ++i) {
      printf("%08d\n", i);
    }
  } else if (is(how, 5)) {
    for (int i = 0; i < 30; ++i) {
      std::printf("host %d\n", i);
      many(1000);
      std::fflush(stdout);
    }
  } else if (is(how, 6)) {
#pragma omp target
    assert(argc == 0);
  } else if (is(how, 7)) {
#pragma omp target
    exit(7);
  } else if (is(how, 8)) {
#pragma omp target
    {
      puts("before");
#pragma omp error at(execution) severity(fatal) message("it is wrong")
    }
  } else if (is(how, 9)) {
    large();
  }
}
