#include "runtime/core/events/events.h"

#include "runtime/core/host/lock.h"

#include <array>
#include <cstddef>

namespace gantry::core {

namespace {

/// A place in the list. Written once, under the lock, but for `kinds`.
struct Listening {
  std::atomic<EventListener*> listener{nullptr};
  std::atomic<std::uint32_t> kinds{0};
};

constexpr std::size_t kMostListeners = 8;

// Constant-initialised: events happen in constructors of libraries, and GANTRY_INFO listens from
// the start.
constinit std::array<Listening, kMostListeners> listening;
constinit std::mutex listening_mutex; // never held while something else is called

} // namespace

constinit std::atomic<std::uint32_t> wanted_events{0};

EventId next_event_id() {
  static std::atomic<EventId> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void listen(EventListener& listener, std::uint32_t kinds) {
  const std::lock_guard lock(listening_mutex);
  std::uint32_t all = 0;
  bool known = false;
  for (Listening& place : listening) {
    EventListener* const there = place.listener.load(std::memory_order_relaxed);
    if (!known && (there == &listener || there == nullptr)) {
      known = true;
      place.kinds.store(kinds, std::memory_order_relaxed);
      place.listener.store(&listener, std::memory_order_release);
    }
    all |= place.kinds.load(std::memory_order_relaxed);
  }
  wanted_events.store(all, std::memory_order_relaxed);
}

void for_each_listener(Event kind, const std::function<void(EventListener&)>& visit) {
  expect_no_lock("tells a listener of an event");
  for (const Listening& place : listening) {
    EventListener* const listener = place.listener.load(std::memory_order_acquire);
    if (listener == nullptr) {
      return;
    }
    if ((place.kinds.load(std::memory_order_relaxed) & static_cast<std::uint32_t>(kind)) != 0) {
      visit(*listener);
    }
  }
}

void ConstructScope::begin() {
  construct_.id = next_event_id();
  if (construct_.tells(Event::kConstruct)) {
    tell(ConstructBegin{{construct_, device_}, event_time()});
    // A tool may have been asked only now what it wants.
    construct_.watched |= wanted_events.load(std::memory_order_relaxed) &
                          static_cast<std::uint32_t>(Event::kOperation);
  }
}

void OperationScope::begin(const Construct& construct, const DeviceName& device, const Facts& facts,
                           EventId id) {
  construct_ = &construct;
  device_ = &device;
  facts_ = facts;
  id_ = id != 0 ? id : next_event_id();
  began_ = event_time();
  note_ = 0;
  tell_of(true, began_);
}

void OperationScope::end() {
  tell_of(false, event_time());
}

void OperationScope::tell_of(bool begins, std::int64_t now) {
  tell(Operation{{*construct_, *device_},
                 facts_.what,
                 begins,
                 id_,
                 began_,
                 now,
                 facts_.from,
                 facts_.to,
                 facts_.from_address,
                 facts_.to_address,
                 facts_.size,
                 facts_.teams,
                 note_});
}

void ConstructScope::end() const {
  if (construct_.tells(Event::kConstruct)) {
    tell(ConstructEnd{{construct_, device_}, event_time()});
  }
}

} // namespace gantry::core
