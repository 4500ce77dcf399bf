#include <cstdio>
int forward(int value);
int main() {
  std::printf("forward %d\n", forward(3));
}
