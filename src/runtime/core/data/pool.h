// Objects of one type that come and go, in few blocks of memory that grow with their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace gantry::core {

/// Objects stay where they are until the pool goes. Not thread-safe.
template <typename T>
class Pool {
public:
  /// An object that is not in use: a new one, or one given back, as it was then.
  T& take() {
    if (free_.empty()) {
      grow();
    }
    T& object = *free_.back();
    free_.pop_back();
    return object;
  }

  /// Takes back an object; allocates nothing.
  void give_back(T& object) { free_.push_back(&object); }

private:
  /// Doubles the number of objects, within bounds.
  void grow() {
    constexpr std::size_t kSmallest = std::max<std::size_t>(4096 / sizeof(T), 1);
    constexpr std::size_t kLargest = std::max<std::size_t>((std::size_t{1} << 18) / sizeof(T), 1);
    const std::size_t count = std::clamp(objects_, kSmallest, kLargest);
    T* block = blocks_.emplace_back(std::make_unique<T[]>(count)).get();
    objects_ += count;
    // Room for all objects there are, so that give_back() allocates nothing.
    if (free_.capacity() < objects_) {
      free_.reserve(2 * objects_);
    }
    for (std::size_t i = count; i > 0; --i) {
      free_.push_back(block + i - 1);
    }
  }

  std::vector<std::unique_ptr<T[]>> blocks_; ///< all objects, in use or not
  std::vector<T*> free_;
  std::size_t objects_ = 0;
};

} // namespace gantry::core
