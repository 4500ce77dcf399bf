#include "simt/driver/device.h"

#include "simt/driver/context.h"
#include "simt/driver/memory_pool.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace gantry::simt::driver {

namespace {

constexpr unsigned kKilobyte = 1 << 10;

/// From the table of technical specifications by compute capability.
MultiprocessorLimits limits_of_capability(unsigned major, unsigned minor) {
  switch (major * 10 + minor) {
  case 70:
  case 72:
    return {2048, 32, 96 * kKilobyte, 96 * kKilobyte};
  case 75:
    return {1024, 16, 64 * kKilobyte, 64 * kKilobyte};
  case 80:
    return {2048, 32, 164 * kKilobyte, 163 * kKilobyte};
  case 87:
    return {1536, 16, 164 * kKilobyte, 163 * kKilobyte};
  case 86:
    return {1536, 16, 100 * kKilobyte, 99 * kKilobyte};
  case 90:
  case 100:
  case 103:
    return {2048, 32, 228 * kKilobyte, 227 * kKilobyte};
  case 110:
    return {1536, 24, 228 * kKilobyte, 227 * kKilobyte};
  case 88:
  case 89:
  case 120:
  case 121:
    return {1536, 24, 100 * kKilobyte, 99 * kKilobyte};
  default:
    return {2048, 32, 96 * kKilobyte, 48 * kKilobyte};
  }
}

unsigned multiprocessors_of(const Settings& settings) {
  if (settings.multiprocessors != 0) {
    return settings.multiprocessors;
  }
  return settings.threads != 0 ? settings.threads
                               : std::max(1U, std::thread::hardware_concurrency());
}

} // namespace

Device::Device(int ordinal, const Settings& settings)
    : ordinal_(ordinal), major_(settings.capability_major), minor_(settings.capability_minor),
      multiprocessors_(multiprocessors_of(settings)),
      limits_(limits_of_capability(settings.capability_major, settings.capability_minor)),
      name_(settings.name), total_memory_(settings.memory),
      default_pool_(MemoryPool::create(*this, 0)), pool_(default_pool_) {}

Device::~Device() = default;

CUuuid Device::uuid() const {
  CUuuid uuid = {{'g', 'a', 'n', 't', 'r', 'y', '-', 's', 'i', 'm', 't'}};
  uuid.bytes[15] = static_cast<char>(ordinal_);
  return uuid;
}

bool Device::take_memory(std::uint64_t bytes) {
  std::uint64_t used = used_memory_.load();
  do {
    if (bytes > total_memory_ - used) {
      return false;
    }
  } while (!used_memory_.compare_exchange_weak(used, used + bytes));
  return true;
}

std::shared_ptr<Context> Device::retain_primary() {
  const std::lock_guard lock(mutex_);
  if (primary_ == nullptr) {
    primary_ = Context::create(*this, primary_flags_, kNewestContextVersion);
  }
  ++primary_holders_;
  return primary_;
}

bool Device::release_primary() {
  std::shared_ptr<Context> ended;
  {
    const std::lock_guard lock(mutex_);
    if (primary_holders_ == 0) {
      return false;
    }
    if (--primary_holders_ == 0) {
      ended = std::exchange(primary_, nullptr);
    }
  }
  if (ended != nullptr) {
    ended->close();
  }
  return true;
}

void Device::reset_primary() {
  std::shared_ptr<Context> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(primary_, nullptr);
    primary_holders_ = 0;
  }
  if (ended != nullptr) {
    ended->close();
  }
}

Device::PrimaryState Device::primary_state() const {
  const std::lock_guard lock(mutex_);
  return {primary_flags_, primary_ != nullptr};
}

void Device::set_primary_flags(unsigned flags) {
  const std::lock_guard lock(mutex_);
  primary_flags_ = flags;
  if (primary_ != nullptr) {
    primary_->set_flags(flags);
  }
}

std::shared_ptr<MemoryPool> Device::pool() const {
  const std::lock_guard lock(mutex_);
  return pool_;
}

void Device::set_pool(std::shared_ptr<MemoryPool> pool) {
  const std::lock_guard lock(mutex_);
  pool_ = std::move(pool);
}

} // namespace gantry::simt::driver
