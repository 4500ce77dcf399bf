// A region that follows a pointer to what is not mapped.
#include <cstdio>

struct Link {
  int value;
  Link* next;
};

int main() {
  Link second = {2, nullptr};
  Link* const list = new Link{1, &second};
  int sum = 0;
#pragma omp target map(to : list[0 : 1]) map(tofrom : sum)
  for (const Link* link = list; link != nullptr; link = link->next) {
    sum += link->value; // here
  }
  std::printf("sum %d\n", sum);
}
