#include "simt/memory/host_memory.h"

#include "base/host_mappings.h"
#include "simt/host/of_thread.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace gantry::simt {

namespace {

/// Readable ranges in ascending order.
struct Mappings {
  std::uint64_t generation = 0;
  std::vector<HostMapping> ranges;

  [[nodiscard]] bool contain(std::uint64_t address, std::uint64_t end, bool for_write) const {
    auto next = std::ranges::upper_bound(ranges, address, {}, &HostMapping::end);
    for (; address < end; ++next) {
      if (next == ranges.end() || next->begin > address || (for_write && !next->writable)) {
        return false;
      }
      address = next->end;
    }
    return true;
  }
};

constexpr std::size_t kMostDevices = 1024;
constinit std::array<std::atomic<bool>, kMostDevices> opened = {};

/// Older lists are out of date.
constinit std::atomic<std::uint64_t> current_generation = 1;

/// The last list, which threads share.
struct Shared {
  std::mutex mutex;
  std::shared_ptr<const Mappings> last = std::make_shared<Mappings>();
};

Shared& shared() {
  static auto* const made = new Shared; // kernels may run while the process ends
  return *made;
}

/// The last list, if it is not older than `generation`; else a new one.
std::shared_ptr<const Mappings> mappings_since(std::uint64_t generation) {
  Shared& known = shared();
  const std::lock_guard lock(known.mutex);
  if (known.last->generation < generation) {
    auto read = std::make_shared<Mappings>();
    read->generation = current_generation.load(std::memory_order_acquire);
    read_host_mappings(read->ranges);
    std::erase_if(read->ranges, [](const HostMapping& mapping) { return !mapping.readable; });
    known.last = std::move(read);
  }
  return known.last;
}

struct KnownToThread {
  std::shared_ptr<const Mappings> mappings = std::make_shared<Mappings>();
};

} // namespace

void open_host_memory(std::int32_t device) {
  opened.at(static_cast<std::size_t>(device)).store(true, std::memory_order_release);
}

bool may_use_host_memory(std::int32_t device) {
  const auto index = static_cast<std::size_t>(device);
  return index < kMostDevices && opened[index].load(std::memory_order_acquire);
}

void look_at_host_memory_anew() {
  current_generation.fetch_add(1, std::memory_order_acq_rel);
}

bool is_mapped_on_host(std::uint64_t address, std::uint64_t size, bool for_write) {
  const std::uint64_t end = address + size;
  if (end < address) {
    return false;
  }
  std::shared_ptr<const Mappings>& known = of_thread<KnownToThread>().mappings;
  if (const std::uint64_t current = current_generation.load(std::memory_order_acquire);
      known->generation < current) {
    known = mappings_since(current);
  }
  if (known->contain(address, end, for_write)) {
    return true;
  }
  // It may have been mapped since.
  known = mappings_since(current_generation.fetch_add(1, std::memory_order_acq_rel) + 1);
  return known->contain(address, end, for_write);
}

} // namespace gantry::simt
