#include "runtime/core/queues/private_storage.h"

#include "runtime/core/reports/text.h"

namespace gantry::core {

namespace {
/// What is larger is allocated and freed, for a queue keeps the memory of its launches.
constexpr std::uint64_t kMostLaunchData = 1 << 20;
} // namespace

PrivateStorage::~PrivateStorage() {
  if (allocation_ != nullptr) {
    OperationScope operation;
    if (told_ != nullptr) [[unlikely]] {
      operation.begin(*told_, device_.name(),
                      {.what = Operation::What::kRelease,
                       .from = device_.name().number,
                       .from_address = begin_,
                       .size = size_});
    }
    // A failure to free has no construct to report to, and none of its results depends on it.
    (void)device_.release(allocation_);
  }
}

Status PrivateStorage::reserve(std::uint64_t size, Queue& queue) {
  size_ = size;
  if (device_.host_accessible() && size <= sizeof inline_) {
    host_ = inline_;
    begin_ = address(inline_);
    return {};
  }
  if (size <= kMostLaunchData && queue.has_launch_data()) {
    const auto data = GANTRY_TRY_CONTEXT(queue.launch_data(size), "private copies");
    host_ = data.host;
    begin_ = data.device;
    return {};
  }
  OperationScope operation;
  if (queue.tells(Event::kOperation)) [[unlikely]] {
    told_ = &queue.construct();
    operation.begin(*told_, device_.name(),
                    {.what = Operation::What::kAllocate,
                     .from = Operation::kHost,
                     .to = device_.name().number,
                     .size = size});
  }
  const auto allocated = GANTRY_TRY_CONTEXT(device_.allocate(size), "private copies");
  allocation_ = allocated;
  begin_ = address(allocation_);
  operation.set_allocated(begin_);
  return {};
}

} // namespace gantry::core
