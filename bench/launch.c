// launch PROGRAM [ARGUMENTS...]: runs a program, its output dropped, and prints the nanoseconds
// from its start to its end, the microseconds of processor time that it and its children took, and
// its peak resident memory in KiB. Exits as the program does.
//
// A program of its own because Linux counts the memory of the process that spawns as the child's
// until the child executes: spawned by Python, no program would peak below Python's own size. It is
// linked statically, so its own peak, the least it can report, is that of a few pages.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static long long microseconds(const struct timeval* time) {
  return (long long)time->tv_sec * 1000000 + time->tv_usec;
}

int main(int count, char** arguments) {
  if (count < 2) {
    fprintf(stderr, "launch: no program given; use launch PROGRAM [ARGUMENTS...]\n");
    return 2;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);

  const long long begin = nanoseconds();
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[1], &actions, NULL, arguments + 1, environ);
  if (error != 0) {
    fprintf(stderr, "launch: cannot run '%s': %s\n", arguments[1], strerror(error));
    return 2;
  }
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child) {
    perror("launch: wait4");
    return 2;
  }
  const long long end = nanoseconds();

  printf("%lld %lld %ld\n", end - begin,
         microseconds(&usage.ru_utime) + microseconds(&usage.ru_stime), usage.ru_maxrss);
  if (WIFSIGNALED(status)) {
    fprintf(stderr, "launch: '%s' was ended by signal %d\n", arguments[1], WTERMSIG(status));
    return 128 + WTERMSIG(status);
  }
  return WEXITSTATUS(status);
}
