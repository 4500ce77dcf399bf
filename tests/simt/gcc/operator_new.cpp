// new and delete of the device's own: a small arena behind the operators of a class, a binary tree,
// and placement new.
#include "device.h"

#include <cstddef>
#include <new>

#pragma omp declare target
class Node {
public:
  explicit Node(int value) : value_(value) {}
  static void* operator new(std::size_t size) { return malloc(size); }
  static void operator delete(void* address) { free(address); }

  void insert(int value) {
    Node*& child = value < value_ ? left_ : right_;
    if (child) {
      child->insert(value);
    } else {
      child = new Node(value);
    }
  }
  static void destroy(Node* node) {
    if (node) {
      destroy(node->left_);
      destroy(node->right_);
      delete node;
    }
  }
  int write_sorted(int* to) const {
    int count = left_ ? left_->write_sorted(to) : 0;
    to[count++] = value_;
    return count + (right_ ? right_->write_sorted(to + count) : 0);
  }

private:
  int value_;
  Node* left_ = nullptr;
  Node* right_ = nullptr;
};
#pragma omp end declare target

int main() {
  require_device();
  int sorted[4][40];
  int counts[4];
#pragma omp target map(from : sorted, counts)
#pragma omp parallel for num_threads(4)
  for (int tree = 0; tree < 4; ++tree) {
    Node* root = new Node(500);
    for (int i = 1; i < 40; ++i) {
      root->insert(i * (371 + tree) % 1009);
    }
    counts[tree] = root->write_sorted(sorted[tree]);
    Node::destroy(root);
  }
  for (int tree = 0; tree < 4; ++tree) {
    CHECK_EQUAL(counts[tree], 40);
    for (int i = 1; i < 40; ++i) {
      CHECK(sorted[tree][i - 1] <= sorted[tree][i]);
    }
  }
  printf("trees: first %d, last %d\n", sorted[0][0], sorted[0][39]);
  return pass();
}
