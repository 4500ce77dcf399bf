#include "runtime/core/runtime/spreading.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <unistd.h>

namespace gantry::core {

namespace {

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Whether a region finds `device` as it would find `own`.
bool is_alike(const Device& device, const Device& own, const void* region) {
  const PluginDevice& mine = own.plugin_device();
  const PluginDevice& other = device.plugin_device();
  const Kernel* const kernel = device.find_kernel(region);
  return !device.is_lost() && kernel != nullptr && !kernel->keeps_state &&
         other.shares_memory() == mine.shares_memory() &&
         (other.host_accessible() || !mine.host_accessible());
}

bool overlap(std::uintptr_t begin, std::uint64_t size, std::uintptr_t other, std::uint64_t length) {
  // An address stands for the byte there.
  return begin < other + std::max<std::uint64_t>(length, 1) &&
         other < begin + std::max<std::uint64_t>(size, 1);
}

} // namespace

Placement::~Placement() {
  if (spreading_ != nullptr) {
    spreading_->end(*this);
  }
}

void Placement::leave_to_itself(std::weak_ptr<LeftToItself> construct) {
  const std::lock_guard lock(spreading_->mutex_);
  left_to_itself_ = std::move(construct);
}

void Placement::note_extents(Items items) {
  const auto note = [&](const std::byte* begin, std::uint64_t size, bool from) {
    if (begin != nullptr) {
      extents_.push_back({address(begin), size, from});
    }
  };
  for (const MapItem& item : items) {
    switch (item.kind) {
    case MapKind::kStorage:
      note(item.begin, item.span(), item.from);
      break;
    case MapKind::kPointee:
      note(item.base, sizeof(void*), false);
      note(item.begin, item.size, item.from);
      break;
    case MapKind::kAttachment:
      note(item.base, item.size, false);
      note(item.begin, 0, false);
      break;
    case MapKind::kCapture:
      note(item.begin, 0, false);
      break;
    case MapKind::kPrivate:
      break;
    case MapKind::kValue:
      note(item.base, 0, false); // a pointer perhaps
      break;
    }
  }
}

bool Placement::is_in_the_way(const Placement& other, bool together) const {
  // Where both only read the host's, each finds the same on any device.
  return std::ranges::any_of(extents_, [&](const Extent& mine) {
    return std::ranges::any_of(other.extents_, [&](const Extent& its) {
      return overlap(mine.begin, mine.size, its.begin, its.size) &&
             (!together || mine.from || its.from);
    });
  });
}

std::uint64_t Placement::bytes_held_on(Device& device) const {
  std::uint64_t bytes = 0;
  for (const Extent& extent : extents_) {
    bytes += device.data_environment().held_bytes(extent.begin, extent.size);
    bytes += extent.size == 0 && device.allocations().holding(extent.begin) ? 1 : 0;
  }
  return bytes;
}

Device& Placement::home(std::span<Device* const> devices) const {
  if (is_held_on(*by_standard_)) {
    return *by_standard_;
  }
  Device* home = by_standard_;
  std::uint64_t most = 0;
  for (Device* const device : devices) {
    if (const std::uint64_t bytes = bytes_held_on(*device); bytes > most && !device->is_lost()) {
      most = bytes;
      home = device;
    }
  }
  return *home;
}

Spreading& Spreading::instance() {
  static auto* const spreading = new Spreading;
  return *spreading;
}

Device& Spreading::choose(Placement& placement, Device& default_device, const void* region,
                          Items items, std::span<Device* const> devices, Spread mode) {
  placement.note_extents(items);
  placement.is_region_ = true;
  placement.by_standard_ = &default_device;
  Lock lock(mutex_);
  forget_parent();
  if (mode == Spread::kData && !keeps_state(default_device, region)) {
    if (Device& home = placement.home(devices); home.find_kernel(region) != nullptr) {
      placement.by_standard_ = &home;
    }
  }
  // Where its data are it stays, as if the construct named that device.
  if (placement.by_standard_ != &default_device) {
    devices = {};
  }
  for (;;) {
    if (Device* const device = find_device(placement, region, devices); device != nullptr) {
      begin(placement, *device);
      last_chosen_ = device->number();
      return *device;
    }
    wait_for_others(lock, placement);
  }
}

void Spreading::keep(Placement& placement, Device& device, Items items, Of kind) {
  placement.note_extents(items);
  placement.is_region_ = kind == Of::kRegion;
  placement.by_standard_ = &device;
  Lock lock(mutex_);
  forget_parent();
  while (!constraints(placement).permit(device)) {
    wait_for_others(lock, placement);
  }
  begin(placement, device);
}

Device* Spreading::find_device(const Placement& placement, const void* region,
                               std::span<Device* const> devices) const {
  Device& own = *placement.by_standard_;
  const Constraints limits = constraints(placement);
  if (must_stay(placement, region)) {
    return limits.permit(own) ? &own : nullptr;
  }
  // Those with few regions first, and of equal ones the next behind the last that was chosen.
  const auto rank = [&](const Device* device) {
    return std::tuple(load_of(*device), device->number() <= last_chosen_, device->number());
  };
  std::vector<Device*> order(devices.begin(), devices.end());
  std::ranges::sort(order, {}, rank);
  for (Device* const device : order) {
    if (limits.permit(*device) &&
        (device == &own || (is_alike(*device, own, region) && !placement.is_held_on(*device)))) {
      return device;
    }
  }
  return limits.permit(own) ? &own : nullptr;
}

bool Spreading::keeps_state(const Device& device, const void* region) const {
  const Kernel* const kernel = device.find_kernel(region);
  return kernel == nullptr || kernel->keeps_state || has_stopped_.load(std::memory_order_relaxed);
}

bool Spreading::must_stay(const Placement& placement, const void* region) const {
  Device& device = *placement.by_standard_;
  return keeps_state(device, region) || !device.allocations().empty() ||
         device.data_environment().has_told_addresses() || placement.is_held_on(device);
}

bool Spreading::Constraints::permit(const Device& device) const {
  return !contradictory && (required == nullptr || required == &device) &&
         std::ranges::find(excluded, &device) == excluded.end();
}

Spreading::Constraints Spreading::constraints(const Placement& placement) const {
  Constraints limits;
  for (const Placement* const other : at_work_) {
    const bool together = other->by_standard_ == placement.by_standard_;
    if (!placement.is_in_the_way(*other, together)) {
      continue;
    }
    if (!together) {
      limits.excluded.push_back(other->device_);
    } else if (limits.required == nullptr || limits.required == other->device_) {
      limits.required = other->device_;
    } else {
      limits.contradictory = true;
    }
  }
  return limits;
}

int Spreading::load_of(const Device& device) const {
  const auto number = static_cast<std::size_t>(device.number());
  return number < regions_.size() ? regions_[number] : 0;
}

void Spreading::wait_for_others(Lock& lock, const Placement& placement) {
  constexpr auto kPause = std::chrono::microseconds(100);
  // Target tasks end when some thread asks, and all of them may be waiting here.
  std::vector<std::shared_ptr<LeftToItself>> others;
  for (const Placement* const other : at_work_) {
    if (auto construct = other->left_to_itself_.lock();
        construct != nullptr &&
        placement.is_in_the_way(*other, other->by_standard_ == placement.by_standard_)) {
      others.push_back(std::move(construct));
    }
  }
  lock.unlock();
  bool any = false;
  for (const auto& construct : others) {
    any |= construct->try_end();
  }
  others.clear();
  lock.lock();
  if (!any) {
    ended_.wait_for(lock, kPause);
  }
}

void Spreading::forget_parent() {
  if (const pid_t process = getpid(); std::exchange(process_, process) != process) {
    at_work_.clear();
    regions_.clear();
  }
}

void Spreading::begin(Placement& placement, Device& device) {
  placement.spreading_ = this;
  placement.device_ = &device;
  at_work_.push_back(&placement);
  const auto number = static_cast<std::size_t>(device.number());
  regions_.resize(std::max(regions_.size(), number + 1));
  regions_[number] += placement.is_region_ ? 1 : 0;
}

void Spreading::end(Placement& placement) {
  {
    const std::lock_guard lock(mutex_);
    forget_parent();
    if (std::erase(at_work_, &placement) != 0 && placement.is_region_) {
      --regions_[placement.device_->number()];
    }
  }
  ended_.notify_all();
}

} // namespace gantry::core
