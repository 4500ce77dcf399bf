// Programs of tests/simt/checks: each consists of cases, of which a run names one. A comment in
// front of a case says what it is, for run.py:
//
//   // wrong: what the message says: 'variable'
//   CASE(name) { … }
//
//   // right
//   CASE(name) { … }
//
// `// here` marks the lines that the message may name; a race names two of them. This header has
// the program's main(), and is included once.
#pragma once

#include <stdio.h>
#include <string.h>

/// A case; all of them are in a list.
struct Case {
  Case(const char* its_name, void (*its_function)())
      : name(its_name), run(its_function), next(first) {
    first = this;
  }
  const char* const name;
  void (*const run)();
  const Case* const next;
  static inline const Case* first = nullptr;
};

#define CASE(name)                                                                                 \
  void name();                                                                                     \
  const Case case_##name(#name, name);                                                             \
  void name()

/// What a right case has found, if it is not what it should be.
inline void expect(bool is_right, const char* what) {
  if (!is_right) {
    fprintf(stderr, "wrong result: %s\n", what);
  }
}

int main(int argc, char** argv) {
  for (const Case* one = Case::first; one != nullptr; one = one->next) {
    if (argc == 2 && strcmp(argv[1], one->name) == 0) {
      one->run();
      return 0;
    }
  }
  fprintf(stderr, "no such case\n");
  return 2;
}
