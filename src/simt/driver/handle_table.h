// Handles: the opaque values that programs hold, and the objects that they stand for.
//
// A handle is no pointer but a number that names a slot and the slot's generation, so that one that
// is stale, made up, or of another kind is found out and never followed. The bits, from the lowest:
// 4 of zero (so that handles are never CU_STREAM_LEGACY or _PER_THREAD), 23 of slot, 16 of
// generation, 4 of kind, which are never zero. Slots are reused oldest first, so a generation comes
// back late.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace gantry::simt::driver {

enum class HandleKind : std::uint8_t {
  kNone,
  kContext,
  kModule,
  kFunction,
  kStream,
  kEvent,
  kLinkState,
  kLibrary,
  kKernel,
  kMemoryPool,
  kGraph,
  kGraphNode,
  kGraphExec,
  kUserObject,
};

[[nodiscard]] inline std::uint64_t handle_bits(const void* handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}
[[nodiscard]] inline HandleKind kind_of(const void* handle) {
  return static_cast<HandleKind>(handle_bits(handle) >> 43 & 0xF);
}

/// The live objects of one kind. A reference that find() gives keeps the object alive, the handle's
/// end notwithstanding. All members may be called from any thread.
template <typename Object, HandleKind kKind, typename Handle>
class HandleTable {
public:
  HandleTable() = default;
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  /// A new handle for the object.
  [[nodiscard]] Handle insert(std::shared_ptr<Object> object) {
    const std::uint32_t index = take_slot();
    Slot& slot = *slot_at(index);
    const SlotLock lock(slot);
    slot.object = std::move(object);
    return reinterpret_cast<Handle>(encode(index, slot.generation));
  }

  /// The object, or null.
  [[nodiscard]] std::shared_ptr<Object> find(Handle handle) const {
    Slot* slot = slot_of(handle);
    if (slot == nullptr) {
      return nullptr;
    }
    const SlotLock lock(*slot);
    return slot->generation == generation_of(handle) ? slot->object : nullptr;
  }

  /// What a thread has found last, kept alive by it.
  struct FoundLast {
    Handle handle = {};
    const std::atomic<std::uint16_t>* generation = nullptr; ///< of its slot
    std::shared_ptr<Object> object;
  };
  /// The same, good until `last` is used again; finding the same object again takes no lock.
  [[nodiscard]] Object* find(Handle handle, FoundLast& last) const {
    if (handle != last.handle || last.generation == nullptr ||
        last.generation->load(std::memory_order_acquire) != generation_of(handle)) {
      const Slot* slot = slot_of(handle);
      last = {handle, slot == nullptr ? nullptr : &slot->generation, find(handle)};
    }
    return last.object.get();
  }

  /// Ends the handle; null if it was none. Of several calls at once one gets the object.
  std::shared_ptr<Object> erase(Handle handle) {
    Slot* slot = slot_of(handle);
    if (slot == nullptr) {
      return nullptr;
    }
    std::shared_ptr<Object> object;
    {
      const SlotLock lock(*slot);
      if (slot->generation != generation_of(handle) || slot->object == nullptr) {
        return nullptr;
      }
      object = std::move(slot->object);
      slot->object = nullptr;
      ++slot->generation;
    }
    const std::lock_guard lock(mutex_);
    free_.push_back(index_of(handle));
    return object;
  }

private:
  static constexpr std::uint32_t kChunk = 1024;
  static constexpr std::uint32_t kChunks = (1U << 23) / kChunk;

  struct Slot {
    std::atomic_flag locked;
    std::atomic<std::uint16_t> generation = 0; ///< changed while locked
    std::shared_ptr<Object> object;
  };
  /// Held for a few instructions only.
  class SlotLock {
  public:
    explicit SlotLock(Slot& slot) : slot_(slot) {
      while (slot_.locked.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~SlotLock() { slot_.locked.clear(std::memory_order_release); }
    SlotLock(const SlotLock&) = delete;
    SlotLock& operator=(const SlotLock&) = delete;

  private:
    Slot& slot_;
  };

  static std::uint64_t encode(std::uint32_t index, std::uint16_t generation) {
    return std::uint64_t{index} << 4 | std::uint64_t{generation} << 27 |
           static_cast<std::uint64_t>(kKind) << 43;
  }
  static std::uint32_t index_of(Handle handle) {
    return static_cast<std::uint32_t>(handle_bits(handle) >> 4) & ((1U << 23) - 1);
  }
  static std::uint16_t generation_of(Handle handle) {
    return static_cast<std::uint16_t>(handle_bits(handle) >> 27);
  }

  Slot* slot_at(std::uint32_t index) const {
    Slot* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : chunk + index % kChunk;
  }
  Slot* slot_of(Handle handle) const {
    const std::uint64_t bits = handle_bits(handle);
    if ((bits & 0xF) != 0 || bits >> 43 != static_cast<std::uint64_t>(kKind)) {
      return nullptr;
    }
    return slot_at(index_of(handle));
  }

  std::uint32_t take_slot() {
    const std::lock_guard lock(mutex_);
    if (free_.size() > kReusedAfter || used_ == kChunk * kChunks) {
      if (free_.empty()) {
        throw std::bad_alloc();
      }
      const std::uint32_t index = free_.front();
      free_.pop_front();
      return index;
    }
    if (used_ % kChunk == 0) {
      chunks_[used_ / kChunk].store(new Slot[kChunk], std::memory_order_release);
    }
    return used_++;
  }

  /// So many handles of a kind are made before a slot of one that ended comes back.
  static constexpr std::size_t kReusedAfter = 256;

  std::array<std::atomic<Slot*>, kChunks> chunks_ = {};
  std::mutex mutex_;
  std::deque<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

} // namespace gantry::simt::driver
