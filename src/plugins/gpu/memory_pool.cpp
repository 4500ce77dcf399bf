#include "plugins/gpu/memory_pool.h"

#include "plugins/gpu/status.h"
#include "plugins/last_error.h"

namespace gantry::gpu {

void MemoryPool::keep(std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  most_ = most;
}

DeviceAddress MemoryPool::take(std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  return take_kept(size);
}

DeviceAddress MemoryPool::take_kept(std::uint64_t size) {
  // Most times it is what was put back last.
  SizeClass* of = kept_.empty() ? nullptr : kept_.back().of;
  if (of == nullptr || of->size != size) {
    const auto found = classes_.find(size);
    if (found == classes_.end() || found->second.kept.empty()) {
      return 0;
    }
    of = &found->second;
  }
  const Blocks::iterator block = of->kept.back();
  of->kept.pop_back();
  used_.splice(used_.end(), kept_, block);
  block->kept = false;
  kept_bytes_ -= size;
  source_.set_freed(block->address, size, false);
  return block->address;
}

void MemoryPool::keep_block(Blocks::iterator block) {
  source_.set_freed(block->address, block->of->size, true);
  kept_.splice(kept_.end(), used_, block);
  block->kept = true;
  block->of->kept.push_back(block);
  kept_bytes_ += block->of->size;
}

void MemoryPool::forget(Blocks::iterator block) {
  blocks_.erase(block->address);
  if (--block->of->blocks == 0) {
    classes_.erase(block->of->size);
  }
  (block->kept ? kept_ : used_).erase(block);
}

bool MemoryPool::put_back(DeviceAddress address) {
  const std::lock_guard lock(mutex_);
  // Most times it is what was taken last.
  Blocks::iterator block = used_.end();
  if (used_.empty() || (--block)->address != address) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end() || found->second->kept) {
      return false;
    }
    block = found->second;
  }
  if (kept_bytes_ + block->of->size > most_) {
    return false;
  }
  keep_block(block);
  return true;
}

std::int32_t MemoryPool::shrink(std::uint64_t bytes) {
  while (kept_bytes_ > bytes) {
    const Blocks::iterator oldest = kept_.begin();
    const DeviceAddress address = oldest->address;
    SizeClass& of = *oldest->of;
    of.kept.erase(of.kept.begin());
    kept_bytes_ -= of.size;
    forget(oldest);
    GANTRY_STATUS_TRY(source_.free(address));
  }
  return GANTRY_SUCCESS;
}

std::int32_t MemoryPool::allocate(std::uint64_t size, DeviceAddress& address) {
  const std::lock_guard lock(mutex_);
  address = take_kept(size);
  if (address != 0) {
    return GANTRY_SUCCESS;
  }
  std::int32_t code = source_.allocate(size, address);
  if (code == GANTRY_OUT_OF_MEMORY && kept_bytes_ > 0) {
    GANTRY_STATUS_TRY(shrink(0));
    code = source_.allocate(size, address);
  }
  if (code == GANTRY_OUT_OF_MEMORY) {
    return plugins::report(code, "{} bytes of device memory cannot be had", size);
  }
  GANTRY_STATUS_TRY(code);
  add(size, address);
  return GANTRY_SUCCESS;
}

std::int32_t MemoryPool::allocate_at(std::uint64_t size, DeviceAddress address) {
  const std::lock_guard lock(mutex_);
  GANTRY_STATUS_TRY(shrink(0));
  const std::int32_t code = source_.allocate_at(size, address);
  if (code == GANTRY_OUT_OF_MEMORY) {
    return plugins::report(code, "{} bytes of device memory at {:#x} cannot be had", size, address);
  }
  GANTRY_STATUS_TRY(code);
  add(size, address);
  return GANTRY_SUCCESS;
}

void MemoryPool::add(std::uint64_t size, DeviceAddress address) {
  SizeClass& of = classes_[size];
  of.size = size;
  ++of.blocks;
  blocks_.emplace(address, used_.insert(used_.end(), Block{address, &of, false}));
}

std::int32_t MemoryPool::release(DeviceAddress address) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) {
    return source_.free(address); // which says what is wrong with it
  }
  const Blocks::iterator block = found->second;
  if (block->kept) {
    return plugins::report(GANTRY_FAILURE, "the memory at {:#x} is freed already", address);
  }
  if (block->of->size > most_) {
    forget(block);
    GANTRY_STATUS_TRY(source_.free(address));
    return GANTRY_SUCCESS;
  }
  const std::int32_t code = shrink(most_ - block->of->size);
  keep_block(block);
  return code;
}

std::int32_t MemoryPool::free_all() {
  const std::lock_guard lock(mutex_);
  std::int32_t status = GANTRY_SUCCESS;
  for (const auto& [address, block] : blocks_) {
    keep_failure(status, source_.free(address));
  }
  used_.clear();
  kept_.clear();
  classes_.clear();
  blocks_.clear();
  kept_bytes_ = 0;
  return status;
}

} // namespace gantry::gpu
