// malloc, calloc, realloc and free on the device, by one thread and by many at once, and memory
// that lives from one target region to the next.
#include "device.h"

#include <stdint.h>
#include <string.h>

struct Node {
  int value;
  struct Node* next;
};

int main(void) {
  require_device();
  int sum = 0;
  int reversed = 0;
#pragma omp target map(tofrom : sum, reversed)
  {
    struct Node* list = NULL;
    for (int i = 1; i <= 50; ++i) {
      struct Node* node = (struct Node*)malloc(sizeof *node);
      node->value = i;
      node->next = list;
      list = node;
    }
    reversed = list->value == 50;
    while (list) {
      struct Node* next = list->next;
      sum += list->value;
      free(list);
      list = next;
    }
  }
  CHECK_EQUAL(sum, 1275);
  CHECK(reversed);

  int good = 0;
#pragma omp target teams distribute parallel for num_teams(4) map(tofrom : good) reduction(+ : good)
  for (int i = 0; i < 64; ++i) {
    const int count = 4 + i % 13;
    int* block = (int*)malloc((size_t)count * sizeof(int));
    for (int k = 0; k < count; ++k) {
      block[k] = i * 100 + k;
    }
    int right = (uintptr_t)block % 8 == 0;
    for (int k = 0; k < count; ++k) {
      right = right && block[k] == i * 100 + k;
    }
    free(block);
    good += right;
  }
  CHECK_EQUAL(good, 64);

  int zeros = 0;
  int kept = 0;
#pragma omp target map(from : zeros, kept)
  {
    unsigned char* bytes = (unsigned char*)calloc(40, 3);
    zeros = 1;
    for (int i = 0; i < 120; ++i) {
      zeros = zeros && bytes[i] == 0;
      bytes[i] = (unsigned char)i;
    }
    bytes = (unsigned char*)realloc(bytes, 500);
    kept = bytes[119] == 119 && bytes[0] == 0;
    memset(bytes + 120, 7, 380);
    kept = kept && bytes[499] == 7;
    free(bytes);
    free(NULL);
  }
  CHECK(zeros);
  CHECK(kept);

  // What one region allocates another uses and frees; the host holds the pointer as a number.
  uintptr_t address = 0;
  int last = 0;
#pragma omp target map(from : address)
  {
    int* numbers = (int*)malloc(100 * sizeof(int));
    for (int i = 0; i < 100; ++i) {
      numbers[i] = i * i;
    }
    address = (uintptr_t)numbers;
  }
#pragma omp target map(to : address) map(from : last)
  {
    int* numbers = (int*)address;
    last = numbers[99];
    free(numbers);
  }
  CHECK_EQUAL(last, 9801);
  printf("heap: %d\n", sum);
  return pass();
}
