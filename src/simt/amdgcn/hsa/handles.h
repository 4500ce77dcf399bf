// Handles: numbers that stand for objects. No number is given twice, so that one that has ended, is
// made up, or belongs to another kind of object is found out.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace gantry::simt::hsa {

[[nodiscard]] inline std::uint64_t new_handle() {
  static std::atomic<std::uint64_t> last = 0x1000;
  return last.fetch_add(0x10, std::memory_order_relaxed) + 0x10;
}

/// The live objects of one kind. What find() gives lives on if its handle ends meanwhile. All
/// members may be called from any thread.
template <typename Object>
class Handles {
public:
  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  std::uint64_t insert(std::shared_ptr<Object> object) {
    const std::uint64_t handle = new_handle();
    insert(handle, std::move(object));
    return handle;
  }
  void insert(std::uint64_t handle, std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    objects_.emplace(handle, std::move(object));
  }
  /// Null if it is none.
  [[nodiscard]] std::shared_ptr<Object> find(std::uint64_t handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }
  /// Ends the handle; null if it was none. Of several calls at once one gets the object.
  std::shared_ptr<Object> erase(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    const auto node = objects_.extract(handle);
    return node.empty() ? nullptr : std::move(node.mapped());
  }
  /// Ends all.
  std::unordered_map<std::uint64_t, std::shared_ptr<Object>> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(objects_, {});
  }

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Object>> objects_;
};

} // namespace gantry::simt::hsa
