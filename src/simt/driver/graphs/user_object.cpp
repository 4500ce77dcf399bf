#include "simt/driver/graphs/user_object.h"

#include "simt/driver/handles.h"
#include "simt/driver/thread_state.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace gantry::simt::driver {

namespace {

struct Due {
  std::mutex mutex; ///< of all counts as well
  std::vector<std::pair<CUhostFn, void*>> calls;
  std::atomic<bool> any = false;

  static Due& instance() {
    static auto* const due = new Due;
    return *due;
  }
};

} // namespace

std::shared_ptr<UserObject> UserObject::create(void* data, CUhostFn destroy, std::uint64_t count) {
  std::shared_ptr<UserObject> object(new UserObject(data, destroy, count));
  object->handle_ = handles().user_objects.insert(object);
  return object;
}

void UserObject::retain(std::uint64_t count) {
  const std::lock_guard lock(Due::instance().mutex);
  count_ += count;
}

bool UserObject::release(std::uint64_t count) {
  const std::shared_ptr<UserObject> self = shared_from_this(); // the handle may be the last owner
  Due& due = Due::instance();
  const std::lock_guard lock(due.mutex);
  if (count > count_) {
    return false;
  }
  count_ -= count;
  if (count_ == 0 && count != 0) {
    handles().user_objects.erase(handle_);
    due.calls.emplace_back(destroy_, data_);
    due.any.store(true, std::memory_order_release);
  }
  return true;
}

void UserObject::call_due() {
  Due& due = Due::instance();
  if (!due.any.load(std::memory_order_acquire)) {
    return;
  }
  std::vector<std::pair<CUhostFn, void*>> calls;
  {
    const std::lock_guard lock(due.mutex);
    calls.swap(due.calls);
    due.any.store(false, std::memory_order_release);
  }
  std::optional<HostFunctionScope> scope;
  if (!HostFunctionScope::active()) {
    scope.emplace();
  }
  for (const auto& [function, data] : calls) {
    function(data);
  }
}

} // namespace gantry::simt::driver
