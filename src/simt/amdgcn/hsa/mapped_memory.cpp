#include "simt/amdgcn/hsa/mapped_memory.h"

#include "simt/amdgcn/hsa/process.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace gantry::simt::hsa {

/// Counts as used on its GPU as long as it exists.
class MappedMemory::Object {
public:
  /// Null if there is no memory.
  static std::shared_ptr<Object> create(const Pool& pool, std::uint64_t bytes) {
    const bool counts = pool.kind == PoolKind::kDevice;
    if (counts && !pool.owner->take(bytes)) {
      return nullptr;
    }
    std::shared_ptr<Object> made(new Object(counts ? pool.owner : nullptr, bytes));
    made->file_ = memfd_create("gantry-simt", MFD_CLOEXEC);
    return made->file_ >= 0 && ftruncate(made->file_, static_cast<off_t>(bytes)) == 0 ? made
                                                                                      : nullptr;
  }
  ~Object() {
    if (file_ >= 0) {
      close(file_);
    }
    if (agent_ != nullptr) {
      agent_->give(bytes_);
    }
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] int file() const { return file_; }

private:
  Object(Agent* agent, std::uint64_t bytes) : agent_(agent), bytes_(bytes) {}

  Agent* agent_;
  std::uint64_t bytes_;
  int file_ = -1;
};

namespace {

bool is_whole(std::uint64_t number) {
  return number != 0 && number % MappedMemory::kGranule == 0;
}

/// Lets addresses have memory of their own again, which is empty. False if the system refuses.
bool clear_pages(std::uint64_t address, std::uint64_t bytes) {
  return mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

} // namespace

MappedMemory& MappedMemory::instance() {
  static auto* const memory = new MappedMemory;
  return *memory;
}

hsa_status_t MappedMemory::reserve(std::uint64_t bytes, std::uint64_t alignment, void** address) {
  if (!is_whole(bytes) || (alignment != 0 && !std::has_single_bit(alignment))) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  alignment = std::max(alignment, kGranule);
  Allocation what;
  what.kind = MemoryKind::kReserved;
  if (__builtin_add_overflow(bytes, alignment, &what.size)) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  const auto block = DeviceMemory::instance()->allocate(what);
  if (!block) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  const std::uint64_t begin = (*block + alignment - 1) & ~(alignment - 1);
  const std::lock_guard lock(mutex_);
  reservations_.emplace(begin, Reservation{bytes, *block});
  *address = reinterpret_cast<void*>(begin);
  return HSA_STATUS_SUCCESS;
}

bool MappedMemory::is_mapped(std::uint64_t address, std::uint64_t bytes) const {
  const auto after = mappings_.lower_bound(address);
  if (after != mappings_.end() && after->first - address < bytes) {
    return true;
  }
  return after != mappings_.begin() &&
         address - std::prev(after)->first < std::prev(after)->second.bytes;
}

hsa_status_t MappedMemory::free(std::uint64_t address, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second.bytes != bytes) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  if (is_mapped(address, bytes)) {
    return HSA_STATUS_ERROR_RESOURCE_FREE;
  }
  DeviceMemory::instance()->free(found->second.block);
  reservations_.erase(found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t MappedMemory::create(const Pool& pool, std::uint64_t bytes, std::uint64_t* handle) {
  if (!is_whole(bytes)) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  if (!pool.may_allocate() || bytes > pool.size()) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  auto made = Object::create(pool, bytes);
  if (made == nullptr) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  *handle = objects_.insert(std::move(made));
  return HSA_STATUS_SUCCESS;
}

hsa_status_t MappedMemory::release(std::uint64_t handle) {
  return objects_.erase(handle) == nullptr ? HSA_STATUS_ERROR_INVALID_ALLOCATION
                                           : HSA_STATUS_SUCCESS;
}

hsa_status_t MappedMemory::map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset,
                               std::uint64_t handle) {
  auto object = objects_.find(handle);
  if (object == nullptr) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  if (!is_whole(bytes) || address % kGranule != 0 || offset % kGranule != 0 ||
      offset > object->bytes() || bytes > object->bytes() - offset) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const std::lock_guard lock(mutex_);
  const auto after = reservations_.upper_bound(address);
  if (after == reservations_.begin()) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  const auto& [begin, reservation] = *std::prev(after);
  if (address - begin >= reservation.bytes || bytes > reservation.bytes - (address - begin) ||
      is_mapped(address, bytes)) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  void* const place = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_FIXED, object->file(), static_cast<off_t>(offset));
  if (place == MAP_FAILED) {
    (void)clear_pages(address, bytes);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  // Bytes that another mapping has written are not known by these addresses.
  if (UninitialisedBytes* const uninitialised = DeviceMemory::instance()->uninitialised()) {
    uninitialised->mark_written(address, bytes);
  }
  mappings_.emplace(address, Mapping{bytes, std::move(object)});
  return HSA_STATUS_SUCCESS;
}

std::map<std::uint64_t, MappedMemory::Mapping>::iterator
MappedMemory::mapping(std::uint64_t address, std::uint64_t bytes) {
  const auto found = mappings_.find(address);
  return found != mappings_.end() && found->second.bytes == bytes ? found : mappings_.end();
}

hsa_status_t MappedMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = mapping(address, bytes);
  if (found == mappings_.end()) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  DeviceMemory::instance()->set_freed(address, bytes, true);
  if (!clear_pages(address, bytes)) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  mappings_.erase(found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t MappedMemory::set_access(std::uint64_t address, std::uint64_t bytes, bool allowed) {
  const std::lock_guard lock(mutex_);
  if (mapping(address, bytes) == mappings_.end()) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  DeviceMemory::instance()->set_freed(address, bytes, !allowed);
  return HSA_STATUS_SUCCESS;
}

void MappedMemory::clear() {
  const std::lock_guard lock(mutex_);
  for (const auto& [address, mapping] : mappings_) {
    DeviceMemory::instance()->set_freed(address, mapping.bytes, true);
    (void)clear_pages(address, mapping.bytes);
  }
  mappings_.clear();
  for (const auto& [address, reservation] : reservations_) {
    DeviceMemory::instance()->free(reservation.block);
  }
  reservations_.clear();
  objects_.take_all();
}

} // namespace gantry::simt::hsa
