// Functions of the device's string.h and stdlib.h. (Those of ctype.h are macros of the host's
// library.)
#include "device.h"

#include <string.h>

enum { kResults = 22 };

int main(void) {
  require_device();
  char text[64] = "The quick brown fox";
  long results[kResults];
  char copy[64];
#pragma omp target map(to : text) map(from : results, copy)
  {
    char buffer[64];
    int n = 0;
    memset(buffer, 'x', sizeof buffer);
    memcpy(buffer, text, strlen(text) + 1);
    results[n++] = (long)strlen(buffer);
    results[n++] = buffer[30];
    results[n++] = strcmp(buffer, "The quick brown fox");
    results[n++] = strcmp(buffer, "The quick brown gnu") < 0;
    results[n++] = strncmp(buffer, "The quiet", 7);
    results[n++] = strchr(buffer, 'q') - buffer;
    results[n++] = strrchr(buffer, 'o') - buffer;
    results[n++] = strstr(buffer, "brown") - buffer;
    results[n++] = memcmp(buffer, text, 10);
    results[n++] = (char*)memchr(buffer, 'k', 20) - buffer;
    memmove(buffer + 4, buffer, 10);
    results[n++] = buffer[4] * 256 + buffer[13];
    strcpy(copy, "abc");
    strcat(copy, "def");
    strncat(copy, "ghijkl", 2);
    results[n++] = (long)strspn(copy, "abcx") * 10 + (long)strcspn(copy, "xyzf");
    results[n++] = strtol("  -1234xyz", NULL, 10);
    results[n++] = (long)strtoul("ff", NULL, 16);
    results[n++] = atoi("8080");
    results[n++] = labs(-77L) + abs(-3);
    const div_t divided = div(-17, 5);
    results[n++] = divided.quot * 100 + divided.rem;
    int letters = 0;
    for (const char* p = text; *p; ++p) {
      letters += *p == ' ' ? 100 : 1;
    }
    results[n++] = letters;
    results[n++] = atol("1100");
    const int sorted[6] = {1, 4, 9, 16, 25, 36};
    int found = -1;
    for (int low = 0, high = 5; low <= high;) {
      const int middle = (low + high) / 2;
      if (sorted[middle] == 25) {
        found = middle;
        break;
      }
      if (sorted[middle] < 25) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    results[n++] = found;
    char* rest = NULL;
    char list[] = "a,bc,def";
    int parts = 0;
    for (char* part = strtok_r(list, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
      parts = parts * 10 + (int)strlen(part);
    }
    results[n++] = parts;
    results[n++] = (long)strnlen(text, 5);
  }
  const long expected[kResults] = {
      19, 'x',   0,   1,    0,  4,    17,  10,   0, 8,   'T' * 256 + ' ',
      35, -1234, 255, 8080, 80, -302, 316, 1100, 4, 123, 5};
  for (int i = 0; i < kResults; ++i) {
    CHECK_EQUAL(results[i], expected[i]);
  }
  CHECK(strcmp(copy, "abcdefgh") == 0);
  printf("strings: %s\n", copy);
  return pass();
}
