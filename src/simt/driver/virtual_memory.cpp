#include "simt/driver/virtual_memory.h"

#include "simt/driver/device.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace gantry::simt::driver {

namespace {

bool is_whole(std::uint64_t number) {
  return number != 0 && number % VirtualMemory::kGranularity == 0;
}

/// Lets addresses have memory of their own again, which is empty. False if the system refuses.
bool clear_pages(CUdeviceptr address, std::uint64_t bytes) {
  return mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

} // namespace

tl::expected<std::shared_ptr<MemoryObject>, CUresult>
MemoryObject::create(Device& device, std::uint64_t bytes, const CUmemAllocationProp& properties) {
  if (!device.take_memory(bytes)) {
    return tl::unexpected(CUDA_ERROR_OUT_OF_MEMORY);
  }
  const int file = memfd_create("gantry-simt", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    device.give_memory(bytes);
    if (file >= 0) {
      close(file);
    }
    return tl::unexpected(CUDA_ERROR_OUT_OF_MEMORY);
  }
  return std::shared_ptr<MemoryObject>(new MemoryObject(device, bytes, file, properties));
}

MemoryObject::~MemoryObject() {
  close(file_);
  device_.give_memory(bytes_);
}

VirtualMemory& VirtualMemory::instance() {
  static auto* const memory = new VirtualMemory;
  return *memory;
}

tl::expected<CUdeviceptr, CUresult> VirtualMemory::reserve(std::uint64_t bytes,
                                                           std::uint64_t alignment) {
  if (!is_whole(bytes) || (alignment != 0 && !std::has_single_bit(alignment))) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  alignment = std::max(alignment, kGranularity);
  Allocation what;
  what.kind = MemoryKind::kReserved;
  if (__builtin_add_overflow(bytes, alignment, &what.size)) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  const auto block = DeviceMemory::instance()->allocate(what);
  if (!block) {
    return tl::unexpected(CUDA_ERROR_OUT_OF_MEMORY);
  }
  const CUdeviceptr address = (*block + alignment - 1) / alignment * alignment;
  const std::lock_guard lock(mutex_);
  reservations_.emplace(address, Reservation{bytes, *block});
  return address;
}

CUresult VirtualMemory::free(CUdeviceptr address, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second.bytes != bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto next = mappings_.lower_bound(address);
  if (next != mappings_.end() && next->first - address < bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  DeviceMemory::instance()->free(found->second.block);
  reservations_.erase(found);
  return CUDA_SUCCESS;
}

bool VirtualMemory::is_reserved(CUdeviceptr address, std::uint64_t bytes) const {
  const auto after = reservations_.upper_bound(address);
  if (after == reservations_.begin() || !is_whole(bytes) || address % kGranularity != 0) {
    return false;
  }
  const auto& [begin, reservation] = *std::prev(after);
  return address - begin < reservation.bytes && bytes <= reservation.bytes - (address - begin);
}

VirtualMemory::Mappings::const_iterator VirtualMemory::mapping_of(CUdeviceptr address) const {
  const auto after = mappings_.upper_bound(address);
  if (after == mappings_.begin()) {
    return mappings_.end();
  }
  const auto found = std::prev(after);
  return address - found->first < found->second.bytes ? found : mappings_.end();
}

CUresult VirtualMemory::map(CUdeviceptr address, std::shared_ptr<MemoryObject> object) {
  const std::uint64_t bytes = object->bytes();
  const std::lock_guard lock(mutex_);
  if (!is_reserved(address, bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto next = mappings_.lower_bound(address);
  if (mapping_of(address) != mappings_.end() ||
      (next != mappings_.end() && next->first - address < bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  void* const place = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_FIXED, object->file(), 0);
  if (place == MAP_FAILED) {
    (void)clear_pages(address, bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  // Bytes that another mapping has written are not known by these addresses.
  if (UninitialisedBytes* const uninitialised = DeviceMemory::instance()->uninitialised()) {
    uninitialised->mark_written(address, bytes);
  }
  mappings_.emplace(address, Mapping{address, bytes, std::move(object)});
  return CUDA_SUCCESS;
}

CUresult VirtualMemory::unmap(CUdeviceptr address, std::uint64_t bytes) {
  Mappings ended;
  const std::lock_guard lock(mutex_);
  if (!is_reserved(address, bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto first = mappings_.lower_bound(address);
  const auto last = mappings_.lower_bound(address + bytes);
  const auto cut = mapping_of(address);
  const auto cut_at_end = mapping_of(address + bytes - 1);
  if ((cut != mappings_.end() && cut->first != address) ||
      (cut_at_end != mappings_.end() &&
       cut_at_end->first + cut_at_end->second.bytes != address + bytes)) {
    return CUDA_ERROR_INVALID_VALUE; // a part of a mapping
  }
  if (first == last) {
    return CUDA_SUCCESS;
  }
  if (!clear_pages(address, bytes)) {
    return CUDA_ERROR_UNMAP_FAILED;
  }
  DeviceMemory::instance()->set_freed(address, bytes, true);
  for (auto mapping = first; mapping != last;) {
    ended.insert(mappings_.extract(mapping++));
  }
  return CUDA_SUCCESS;
}

CUresult VirtualMemory::set_access(CUdeviceptr address, std::uint64_t bytes,
                                   CUmemAccess_flags access) {
  const std::lock_guard lock(mutex_);
  if (!is_reserved(address, bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (CUdeviceptr at = address; at < address + bytes;) {
    const auto mapping = mapping_of(at);
    if (mapping == mappings_.end()) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    at = mapping->first + mapping->second.bytes;
  }
  for (auto mapping = mappings_.lower_bound(address);
       mapping != mappings_.end() && mapping->first < address + bytes; ++mapping) {
    mapping->second.access = access;
  }
  DeviceMemory::instance()->set_freed(address, bytes, access == CU_MEM_ACCESS_FLAGS_PROT_NONE);
  return CUDA_SUCCESS;
}

std::optional<VirtualMemory::Mapping> VirtualMemory::find(CUdeviceptr address) const {
  const std::lock_guard lock(mutex_);
  const auto found = mapping_of(address);
  return found == mappings_.end() ? std::nullopt : std::optional(found->second);
}

CUmemGenericAllocationHandle VirtualMemory::retain(const std::shared_ptr<MemoryObject>& object) {
  const std::lock_guard lock(mutex_);
  for (auto& [handle, reference] : references_) {
    if (reference.object == object) {
      ++reference.count;
      return handle;
    }
  }
  references_.emplace(next_handle_, Reference{object, 1});
  return next_handle_++;
}

std::shared_ptr<MemoryObject> VirtualMemory::object(CUmemGenericAllocationHandle handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = references_.find(handle);
  return found == references_.end() ? nullptr : found->second.object;
}

bool VirtualMemory::release(CUmemGenericAllocationHandle handle) {
  std::shared_ptr<MemoryObject> ended;
  const std::lock_guard lock(mutex_);
  const auto found = references_.find(handle);
  if (found == references_.end()) {
    return false;
  }
  if (--found->second.count == 0) {
    ended = std::move(found->second.object);
    references_.erase(found);
  }
  return true;
}

} // namespace gantry::simt::driver
