#include "simt/driver/queue_order.h"

#include "simt/driver/stream.h"
#include "simt/host/settings.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace gantry::simt::driver {

namespace {

/// How far into each other stream.
using Places = std::map<std::uint64_t, std::uint64_t>;

struct Order {
  std::mutex mutex;
  std::map<std::uint64_t, Places> of_streams;

  static Order& instance() {
    static Order* const order = new Order(); // runtimes call the driver from their last destructors
    return *order;
  }
};

void raise(Places& places, std::uint64_t stream, std::uint64_t sequence) {
  std::uint64_t& place = places[stream];
  place = std::max(place, sequence);
}

} // namespace

void note_wait(std::uint64_t stream, const Position& awaited) {
  if (!settings().checks.race) {
    return;
  }
  Order& order = Order::instance();
  const std::lock_guard lock(order.mutex);
  Places& places = order.of_streams[stream];
  raise(places, awaited.stream->id(), awaited.sequence);
  if (const auto further = order.of_streams.find(awaited.stream->id());
      further != order.of_streams.end()) {
    for (const auto& [other, sequence] : further->second) {
      raise(places, other, sequence);
    }
  }
}

bool is_after(std::uint64_t stream, std::uint64_t other, std::uint64_t sequence) {
  Order& order = Order::instance();
  const std::lock_guard lock(order.mutex);
  const auto places = order.of_streams.find(stream);
  if (places == order.of_streams.end()) {
    return false;
  }
  const auto place = places->second.find(other);
  return place != places->second.end() && place->second >= sequence;
}

void forget_stream(std::uint64_t stream) {
  if (!settings().checks.race) {
    return;
  }
  Order& order = Order::instance();
  const std::lock_guard lock(order.mutex);
  order.of_streams.erase(stream);
  for (auto& [other, places] : order.of_streams) {
    places.erase(stream);
  }
}

} // namespace gantry::simt::driver
