// What C's library, OpenMP and the compiler's own functions compute in device code, beside the same
// on the host: each row of c_library.def for several inputs. c_library_test.py sees to it that no
// name is missing.
#define _GNU_SOURCE
#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CMPLX // of glibc's header only with GCC
#define CMPLX(real, imaginary) __builtin_complex((double)(real), (double)(imaginary))
#define CMPLXF(real, imaginary) __builtin_complex((float)(real), (float)(imaginary))
#endif

struct Input {
  double x, y, z;
  float f, g;
  int i, j;
  long n;
};

struct Text {
  char words[40], other[40], upper[40], part[8], integer[24], real[24], empty[1];
  char reals[16][40], longs[12][24];
};

struct Room {
  int integer[4];
  double real[4];
  float single[4];
  char text[128];
};

#pragma omp begin declare target

static int sign(int value) {
  return (value > 0) - (value < 0);
}

static double sum(const void* text) {
  double result = 0;
  for (const char* at = text; *at != 0; ++at) {
    result = result * 3 + *at;
  }
  return result;
}

static __int128 wide(const struct Input* in) {
  return (((__int128)in->n << 61) ^ ((__int128)in->i * 0x123456789ABCDEFL)) + in->j;
}

static long bits(double value) {
  long result;
  memcpy(&result, &value, sizeof result);
  return value != value ? 1 : result;
}

static double strtod_of_all(const struct Text* text) {
  unsigned long mixed = 0;
  for (int i = 0; i < 16; ++i) {
    char* end;
    const double value = strtod(text->reals[i], &end);
    mixed = mixed * 31 + (unsigned long)bits(value) + (unsigned long)(end - text->reals[i]);
  }
  return (double)(mixed >> 11);
}

static double strtof_of_all(const struct Text* text) {
  unsigned long mixed = 0;
  for (int i = 0; i < 16; ++i) {
    mixed = mixed * 31 + (unsigned long)bits(strtof(text->reals[i], 0));
  }
  return (double)(mixed >> 11);
}

static double strtol_of_all(const struct Text* text) {
  unsigned long mixed = 0;
  for (int i = 0; i < 12; ++i) {
    for (int base = 0; base <= 36; base += 4) {
      char* end;
      mixed = mixed * 31 + (unsigned long)strtol(text->longs[i], &end, base);
      mixed = mixed * 31 + strtoul(text->longs[i], 0, base) + (unsigned long)(end - text->longs[i]);
    }
  }
  return (double)(mixed >> 11);
}

static int compare_ints(const void* left, const void* right) {
  return *(const int*)left - *(const int*)right;
}

static void fill(int* values, int count, int seed) {
  for (int i = 0; i < count; ++i) {
    values[i] = (i * 7919 + seed * 31) % 97;
  }
}

static double sorted(int seed) {
  int values[50];
  unsigned long mixed = 0;
  for (int count = 0; count <= 50; count += 7) {
    fill(values, count, seed);
    qsort(values, (size_t)count, sizeof *values, compare_ints);
    for (int i = 0; i < count; ++i) {
      mixed = mixed * 31 + (unsigned long)values[i];
    }
  }
  return (double)(mixed >> 11);
}

static double found(int seed) {
  int values[40];
  fill(values, 40, seed);
  qsort(values, 40, sizeof *values, compare_ints);
  int count = 0;
  for (int wanted = -1; wanted < 100; ++wanted) {
    const int* at = bsearch(&wanted, values, 40, sizeof *values, compare_ints);
    count += at != 0 && *at == wanted;
  }
  return count;
}

static double different_numbers(void) {
  int different = 0;
  for (int i = 0, last = rand(); i < 100; ++i) {
    const int next = rand();
    different += next != last && next >= 0;
    last = next;
  }
  return different == 100;
}

static double repeats_numbers(void) {
  srand(5);
  const int first = rand(), second = rand();
  srand(5);
  return rand() == first && rand() == second;
}

static double differs_by_seed(void) {
  unsigned one = 1, two = 2, again = 1;
  const int a = rand_r(&one), b = rand_r(&two), c = rand_r(&again);
  return a == c && a != b && rand_r(&one) != a;
}

static double uses_malloc(int count) {
  int* values = malloc((size_t)(count + 3) * sizeof *values);
  if (values == 0) {
    return -1;
  }
  fill(values, count + 3, count);
  const double last = values[count + 2];
  free(values);
  return last;
}

static double uses_calloc(int count) {
  int* values = calloc((size_t)count + 5, sizeof *values);
  int zeros = 0;
  for (int i = 0; i < count + 5; ++i) {
    zeros += values[i] == 0;
  }
  free(values);
  return zeros;
}

static double uses_realloc(int count) {
  int* values = realloc(0, 4 * sizeof *values);
  fill(values, 4, count);
  values = realloc(values, 4000 * sizeof *values);
  values[3999] = 7;
  values = realloc(values, 2 * sizeof *values);
  const double result = values[0] + values[1];
  free(values);
  return result;
}

static double uses_aligned_alloc(int count) {
  int good = 0;
  for (size_t alignment = 8; alignment <= 4096; alignment *= 2) {
    char* place = aligned_alloc(alignment, alignment * 2);
    good += ((size_t)place & (alignment - 1)) == 0;
    place[alignment * 2 - 1] = (char)count;
    free(place);
  }
  return good;
}

static double uses_posix_memalign(int count) {
  void* place = 0;
  const int code = posix_memalign(&place, 1024, 100);
  const int good = code == 0 && ((size_t)place & 1023) == 0;
  *(int*)place = count;
  free(place);
  return good + 2 * (posix_memalign(&place, 3, 100) != 0);
}

static double tokens(const char* text, char* room) {
  double result = 0;
  strcpy(room, text);
  for (char* word = strtok(room, " ,;"); word != 0; word = strtok(0, " ,;")) {
    result = result * 2 + sum(word);
  }
  return result;
}

static double tokens_r(const char* text, char* room) {
  double result = 0;
  char* rest;
  strcpy(room, text);
  for (char* word = strtok_r(room, " ,", &rest); word != 0; word = strtok_r(0, " ,", &rest)) {
    result = result * 2 + sum(word);
  }
  return result;
}

static double separated(const char* text, char* room) {
  double result = 0;
  strcpy(room, text);
  for (char *rest = room, *word = strsep(&rest, " ,"); word != 0; word = strsep(&rest, " ,")) {
    result = result * 2 + sum(word) + 1;
  }
  return result;
}

static double duplicated(const char* text) {
  char* copy = strdup(text);
  const double result = sum(copy);
  free(copy);
  return result;
}

static double duplicated_part(const char* text) {
  char* copy = strndup(text, 6);
  const double result = sum(copy);
  free(copy);
  return result;
}

// By the macro, and by the function.
#define CLASS(name)                                                                                \
  static double of_all_characters_##name(void) {                                                   \
    unsigned long mixed = 0;                                                                       \
    for (int character = -1; character < 128; ++character) {                                       \
      int (*volatile function)(int) = (name);                                                      \
      const int by_macro = name(character), by_function = function(character);                     \
      const int is_case = name('A') == 'A' || name('a') == 'A' || name('A') == 'a';                \
      mixed = mixed * 5 + (unsigned long)(is_case ? by_macro : by_macro != 0);                     \
      mixed = mixed * 5 + (unsigned long)(is_case ? by_function : by_function != 0);               \
    }                                                                                              \
    return (double)(mixed >> 11);                                                                  \
  }
CLASS(isalnum)
CLASS(isalpha)
CLASS(isblank)
CLASS(iscntrl)
CLASS(isdigit)
CLASS(isgraph)
CLASS(islower)
CLASS(isprint)
CLASS(ispunct)
CLASS(isspace)
CLASS(isupper)
CLASS(isxdigit)
CLASS(tolower)
CLASS(toupper)
#undef CLASS

static double schedule_set(void) {
  omp_sched_t kind;
  int chunk;
  omp_set_schedule(omp_sched_guided, 5);
  omp_get_schedule(&kind, &chunk);
  return (double)kind * 16 + chunk;
}

static double locked(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  const int taken = omp_test_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  return taken;
}

static double locked_with_hint(void) {
  omp_lock_t lock;
  omp_init_lock_with_hint(&lock, omp_sync_hint_none);
  const int taken = omp_test_lock(&lock);
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  return taken;
}

static double nested(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock_with_hint(&lock, omp_sync_hint_none);
  omp_destroy_nest_lock(&lock);
  omp_init_nest_lock(&lock);
  omp_set_nest_lock(&lock);
  omp_set_nest_lock(&lock);
  const int depth = omp_test_nest_lock(&lock);
  for (int i = 0; i < 3; ++i) {
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  return depth;
}

static double uses(void* place) {
  if (place == 0) {
    return 0;
  }
  memset(place, 1, 40);
  omp_free(place, omp_default_mem_alloc);
  return 1;
}

static double device_memory(void) {
  const int here = omp_get_device_num();
  char* first = omp_target_alloc(64, here);
  char* second = omp_target_alloc(64, here);
  omp_target_memset(first, 3, 64, here);
  const int code = omp_target_memcpy(second, first, 32, 4, 0, here, here);
  const int good = code == 0 && second[4] == 3 && second[35] == 3;
  omp_target_free(first, here);
  omp_target_free(second, here);
  return good;
}

#define REAL(name, expression)                                                                     \
  static double of_##name(const struct Input* in, const struct Text* text, struct Room* out) {     \
    (void)in, (void)text, (void)out;                                                               \
    return (double)(expression);                                                                   \
  }
#define EXACT(name, expression) REAL(name, expression)
#define COMPLEX(name, expression)                                                                  \
  static double of_##name(const struct Input* in, const struct Text* text, struct Room* out) {     \
    (void)text, (void)out;                                                                         \
    const double complex value = (expression);                                                     \
    return creal(value) * 0.7 + cimag(value);                                                      \
  }
#define ON_DEVICE(name, expression, expected) REAL(name, expression)
#include "c_library.def"
#undef ON_DEVICE

/// One after the other: each function is called once in the code.
static void run_all(const struct Input* in, const struct Text* text, double* results) {
  struct Room room;
  struct Room* out = &room;
  int row = 0;
#undef REAL
#undef EXACT
#undef COMPLEX
#define REAL(name, expression)                                                                     \
  memset(out, 0, sizeof *out);                                                                     \
  results[row++] = of_##name(in, text, out);
#define EXACT(name, expression) REAL(name, expression)
#define COMPLEX(name, expression) REAL(name, expression)
#define ON_DEVICE(name, expression, expected) REAL(name, expression)
#include "c_library.def"
#undef ON_DEVICE
}

#pragma omp end declare target

// On the host, without OpenMP's rows.
static void run_on_host(const struct Input* in, const struct Text* text, double* results) {
  struct Room room;
  struct Room* out = &room;
  int row = 0;
#define ON_DEVICE(name, expression, expected) results[row++] = (double)(expected);
#include "c_library.def"
#undef ON_DEVICE
}

#undef REAL
#undef EXACT
#undef COMPLEX

struct Row {
  const char* name;
  int exact;
};
static const struct Row rows[] = {
#define REAL(name, expression) {#name, 0},
#define EXACT(name, expression) {#name, 1},
#define COMPLEX(name, expression) {#name, 0},
#define ON_DEVICE(name, expression, expected) {#name, 1},
#include "c_library.def"
};
enum { kRows = sizeof rows / sizeof *rows };

static const struct Input inputs[] = {
    {0.7, 0.3, 1.9, 0.7F, 0.3F, 5, 3, 123456789012L},
    {1.25, 2.5, 0.4, 1.25F, 2.5F, -7, 9, -98765432109L},
    {2.5, 3.5, 3.1, 2.5F, 3.5F, 1 << 20, 1, 7},
    {-0.6, 1.1, 2.2, -0.6F, 1.1F, 31, 6, 1L << 60},
    {-3.5, -0.8, 0.9, -3.5F, -0.8F, -1, 12, -5},
    {30.2, -4.6, 17.5, 30.2F, -4.6F, 12345678, 4, 3333333333333L},
    {0.0, -0.0, 1.5, 0.0F, -0.0F, 1, 2, 1},
    {INFINITY, 1.5, 2.5, INFINITY, 1.5F, 40, 2, 50},
    {NAN, -1.5, 0.5, NAN, -1.5F, 3, 7, 2},
};
enum { kInputs = sizeof inputs / sizeof *inputs };

static const struct Text texts = {
    .words = "ab,bc; Cd,,ef",
    .other = "ab,bz",
    .upper = "AB,bc; cD,,EF",
    .part = "Cd",
    .integer = "  -12345678x",
    .real = " -1.2345678901234567e-5z",
    .reals = {"0", "-0.0", "1e23", "8.5e-324", "4.9406564584124654e-324", "1.7976931348623157e308",
              "1.7976931348623159e308", "9007199254740993", "0x1.8p3", "0x.00000000000008p-1022",
              "inf", "-infinityx", "nan(12)z", "2.2250738585072011e-308", ".5e",
              "1.00000005960464478"},
    .longs = {"0", "-0x1f", "077", "99999999999999999999", "-9223372036854775808", "z9", " +12ab",
              "", "-", "0x", "1010", "-18446744073709551616"},
};

static int is_near(double got, double expected, int exact) {
  if (got != got || expected != expected) {
    return got != got && expected != expected;
  }
  const double size = fabs(expected) > 1 ? fabs(expected) : 1;
  return got == expected || (!exact && fabs(got - expected) <= 2e-6 * size);
}

int main(void) {
  static double results[kInputs][kRows], expected[kInputs][kRows];
  static int wrong[kRows];
  int ran_on_host = 1, mistakes = 0;
#pragma omp target map(to : inputs, texts) map(from : results) map(tofrom : ran_on_host)
  {
    ran_on_host = omp_is_initial_device();
    for (int i = 0; i < kInputs; ++i) {
      run_all(&inputs[i], &texts, results[i]);
    }
  }
  for (int i = 0; i < kInputs; ++i) {
    run_on_host(&inputs[i], &texts, expected[i]);
  }
  for (int row = 0; row < kRows; ++row) {
    for (int i = 0; i < kInputs; ++i) {
      if (!is_near(results[i][row], expected[i][row], rows[row].exact)) {
        printf("WRONG %s of input %d: %.17g instead of %.17g\n", rows[row].name, i, results[i][row],
               expected[i][row]);
        wrong[row] = 1;
      }
    }
    mistakes += wrong[row];
    if (!wrong[row]) {
      printf("good %s\n", rows[row].name);
    }
  }
  if (ran_on_host) {
    puts("the region ran on the host");
  }
  return mistakes != 0 || ran_on_host;
}
