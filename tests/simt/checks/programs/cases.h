// Programs of tests/simt/checks: each has cases, which a run names. A comment in front of a case
// says what it is, for run.py:
//
//   // wrong: NAME: what the message says: 'variable'
//   // right: NAME
//
// `// here` marks the lines that the message may name; a race names two of them.
#pragma once

#include <stdio.h>
#include <string.h>

struct Case {
  const char* name;
  void (*run)();
};

#define CASE(name) {#name, name}

template <int count>
int run_case(const Case (&cases)[count], int argc, char** argv) {
  for (const Case& one : cases) {
    if (argc == 2 && strcmp(argv[1], one.name) == 0) {
      one.run();
      return 0;
    }
  }
  fprintf(stderr, "no such case\n");
  return 2;
}

/// What a right case has found, if it is not what it should be.
inline void expect(bool is_right, const char* what) {
  if (!is_right) {
    fprintf(stderr, "wrong result: %s\n", what);
  }
}
