// What every program of the conformance suite has: cases, each with the rules of rules.txt that it
// shows, and a main function that runs them.
//
//   PROGRAM                every case but those that must end with an error message
//   PROGRAM --list         a line a case: name, rules, environment and message, separated by tabs
//   PROGRAM CASE…          these cases
//
// run.py runs them; a case there is a process of its own.
#pragma once

#include "check.h"

#include <string.h>

#ifndef __clang__
// GCC 12's omp.h does not declare it.
extern "C" void* omp_get_mapped_ptr(const void* object, int device);
#endif

/// The largest type of its kind that devices have too; a program of GCC's is for all of them.
#if defined(GANTRY_FOR_GPU) || defined(GANTRY_FOR_FOREIGN) || !defined(__clang__)
using LongDouble = double;
#else
using LongDouble = long double;
#endif

namespace conformance {

struct Case {
  const char* name;
  /// Variables that the runner sets for the case: `NAME=value …`. Such a case says itself where its
  /// regions run.
  const char* environment;
  /// A regular expression; not empty if the case must end with exactly one line, `gantry: error:
  /// …`, in which it is found.
  const char* message;
  const char* const* rules; // ends with a null pointer
  void (*run)();
  Case* next = nullptr;
};

/// The program's cases in the order of their definition; main is the only thread that uses it.
inline Case* first_case = nullptr;

struct Registration {
  explicit Registration(Case& added) {
    Case** end = &first_case;
    while (*end != nullptr) {
      end = &(*end)->next;
    }
    *end = &added;
  }
};

inline void list_cases() {
  for (const Case* each = first_case; each != nullptr; each = each->next) {
    printf("%s\t", each->name);
    for (const char* const* rule = each->rules; *rule != nullptr; ++rule) {
      printf("%s%s", rule == each->rules ? "" : " ", *rule);
    }
    printf("\t%s\t%s\n", each->environment, each->message);
  }
}

/// Runs a case and proves that target regions of this process run on a device: afterwards, so that
/// the case itself is the first use of the runtime, unless nothing comes after it.
inline void run_case(const Case& chosen) {
  const bool ends = *chosen.message != '\0';
  if (ends) {
    check_runs_on_device();
  }
  chosen.run();
  if (!ends && *chosen.environment == '\0') {
    check_runs_on_device();
  }
}

inline void run_case_of_name(const char* name) {
  for (const Case* each = first_case; each != nullptr; each = each->next) {
    if (strcmp(each->name, name) == 0) {
      run_case(*each);
      return;
    }
  }
  fprintf(stderr, "there is no case '%s'\n", name);
  exit(2);
}

inline void run_all_cases() {
  for (const Case* each = first_case; each != nullptr; each = each->next) {
    if (*each->message == '\0' && *each->environment == '\0') {
      run_case(*each);
    }
  }
}

/// True if `object`'s first byte has corresponding storage on the default device.
inline bool is_present(const void* object) {
  return omp_target_is_present(object, omp_get_default_device()) != 0;
}

/// True if `address`, at which a region found `object`, is that of corresponding storage. A region
/// that reads does not show it: on every device here it could read the host's memory too.
inline bool is_corresponding(const void* address, const void* object) {
  return (address == object) == (device_shares_memory() != 0);
}

} // namespace conformance

#define CONFORMANCE_CASE(name, environment, message, ...)                                          \
  static void name();                                                                              \
  static const char* const name##_rules[] = {__VA_ARGS__, nullptr};                                \
  static conformance::Case name##_case = {#name, environment, message, name##_rules, name};        \
  static const conformance::Registration name##_registration(name##_case);                         \
  static void name()

/// CASE(name, "rule", …) { … }: a function that returns if what the rules say holds.
#define CASE(name, ...) CONFORMANCE_CASE(name, "", "", __VA_ARGS__)

/// CASE_WITH(name, "NAME=value …", "rule", …): the same with variables in the environment.
#define CASE_WITH(name, environment, ...) CONFORMANCE_CASE(name, environment, "", __VA_ARGS__)

/// DEATH_CASE(name, "regular expression", "rule", …): a function that must end the program with one
/// error message and exit status 1.
#define DEATH_CASE(name, message, ...) CONFORMANCE_CASE(name, "", message, __VA_ARGS__)

// A program of the suite is one source file, and so has one main function.
int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "--list") == 0) {
    conformance::list_cases();
    return 0;
  }
  if (count == 1) {
    conformance::run_all_cases();
  }
  for (int i = 1; i < count; ++i) {
    conformance::run_case_of_name(arguments[i]);
  }
  return 0;
}
