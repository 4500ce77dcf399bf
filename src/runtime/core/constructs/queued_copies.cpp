#include "runtime/core/constructs/queued_copies.h"

#include <utility>

namespace gantry::core {

namespace {

/// The device whose queue a copy is put into.
Device& device_of(const Copy& copy) {
  return copy.from.device != nullptr ? *copy.from.device : *copy.to.device;
}

} // namespace

QueuedCopies::QueuedCopies(const Copy& like, const Construct& routine)
    : to_(like.to.device), from_(like.from.device), queue_(device_of(like).queues(), routine) {}

bool QueuedCopies::takes(const Copy& copy) {
  if (copy.size == 0 || is_wanted(Event::kOperation) ||
      (copy.to.device == nullptr && copy.from.device == nullptr)) {
    return false;
  }
  const PluginDevice& device = device_of(copy).plugin_device();
  return device.has_queues() && (copy.to.device == nullptr || copy.from.device == nullptr ||
                                 (device.queues_reach(copy.to.device->plugin_device()) &&
                                  (copy.to.device != copy.from.device || copy.is_apart())));
}

Status QueuedCopies::put(const Copy& copy) {
  std::byte* const to = copy.to.pointer + copy.to_offset;
  const std::byte* const from = copy.from.pointer + copy.from_offset;
  OperationScope none; // see takes()
  const EventId id = tell_of(copy, queue_.construct(), none);
  Status status = from_ == nullptr ? queue_.submit(to, from, copy.size, Queue::Wait::kLater, id)
                  : to_ == nullptr ? queue_.retrieve(to, from, copy.size, Queue::Wait::kLater, id)
                                   : queue_.send(from, to_->plugin_device(), to, copy.size, id);
  return explained(copy, std::move(status));
}

Status QueuedCopies::wait() {
  return explained({{to_, nullptr}, {from_, nullptr}}, queue_.synchronize());
}

} // namespace gantry::core
