// What the driver offers device code: printf, malloc and free, assert.
#include <cstdio>

extern "C" __global__ void print(const char* text, int* counts) {
  if (threadIdx.x == 1) {
    counts[0] = printf("thread %d of block %d: %s\n", threadIdx.x, blockIdx.x, text);
    counts[1] = printf("%5.2f|%-6d|%06x|%c|%lld|%%|%e\n", 3.14159, -42, 0xBEEF, 'q', 1LL << 40,
                       12345.678);
    counts[2] = printf("no arguments\n");
    counts[3] = printf("%s %u %o %g %hd\n", "literal", 4000000000u, 64, 0.5f, (short)-7);
  }
}

extern "C" __global__ void print_many(int per_thread) {
  for (int i = 0; i < per_thread; ++i) {
    printf("%u %d\n", blockIdx.x * blockDim.x + threadIdx.x, i);
  }
}

struct Node {
  int value;
  Node* next;
};

extern "C" __global__ void heap_lists(int* sums) {
  const int t = threadIdx.x;
  Node* list = nullptr;
  for (int i = 0; i <= t % 10; ++i) {
    Node* node = (Node*)malloc(sizeof(Node));
    if (!node) {
      sums[t] = -1;
      return;
    }
    node->value = t * 100 + i;
    node->next = list;
    list = node;
  }
  int sum = 0;
  while (list) {
    Node* next = list->next;
    sum += list->value;
    free(list);
    list = next;
  }
  sums[t] = sum;
}

// What one kernel allocates another reads and frees; too much is refused.
extern "C" __global__ void heap_allocate(int** blocks, int* refused) {
  const int t = threadIdx.x;
  int* block = (int*)malloc((t + 1) * sizeof(int));
  for (int i = 0; i <= t; ++i) {
    block[i] = t + i;
  }
  blocks[t] = block;
  refused[t] = t == 0 ? malloc(1ull << 40) == nullptr : 1;
}

extern "C" __global__ void heap_free(int** blocks, int* sums) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i <= t; ++i) {
    sum += blocks[t][i];
  }
  free(blocks[t]);
  free(nullptr);
  sums[t] = sum;
}
