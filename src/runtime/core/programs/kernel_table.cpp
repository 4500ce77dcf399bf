#include "runtime/core/programs/kernel_table.h"

namespace gantry::core {

namespace {
constexpr std::size_t kInitialSlots = 64;
}

KernelTable::KernelTable() {
  generations_.push_back(std::make_unique<Slots>(kInitialSlots));
  current_.store(generations_.back().get(), std::memory_order_release);
}

KernelTable::Slot& KernelTable::Slots::first(const void* key) const {
  // Host addresses of kernels are one byte apart; the multiplication spreads them.
  const auto spread = reinterpret_cast<std::uintptr_t>(key) * std::uintptr_t{0x9E3779B97F4A7C15};
  return slots[(spread >> 32) & mask];
}

KernelTable::Slot& KernelTable::Slots::after(const Slot& slot) const {
  return slots[static_cast<std::size_t>(&slot - slots.get() + 1) & mask];
}

KernelTable::Slot& KernelTable::Slots::before(const Slot& slot) const {
  return slots[static_cast<std::size_t>(&slot - slots.get() - 1) & mask];
}

KernelTable::Slot& KernelTable::Slots::place_for(const void* key) const {
  Slot* erased = nullptr;
  for (Slot* slot = &first(key);; slot = &after(*slot)) {
    const void* present = slot->key.load(std::memory_order_relaxed);
    if (present == key) {
      return *slot;
    }
    if (present == nullptr) {
      return erased != nullptr ? *erased : *slot;
    }
    if (erased == nullptr && slot->kernel.load(std::memory_order_relaxed) == nullptr) {
      erased = slot;
    }
  }
}

const Kernel* KernelTable::find(const void* host_address) const {
  const Slots& slots = *current_.load(std::memory_order_acquire);
  for (const Slot* slot = &slots.first(host_address);; slot = &slots.after(*slot)) {
    const void* key = slot->key.load(std::memory_order_acquire);
    if (key == host_address) [[likely]] {
      const Kernel* kernel = slot->kernel.load(std::memory_order_acquire);
      return kernel != nullptr && kernel->host_address == host_address ? kernel : nullptr;
    }
    if (key == nullptr) {
      return nullptr;
    }
  }
}

void KernelTable::set(const Kernel& kernel) {
  // Half of the slots stay free, so that every search ends soon.
  if ((used_ + 1) * 2 > capacity()) {
    grow();
  }
  Slot& slot = generations_.back()->place_for(kernel.host_address);
  used_ += slot.key.load(std::memory_order_relaxed) == nullptr ? 1 : 0;
  slot.kernel.store(&kernel, std::memory_order_release);
  slot.key.store(kernel.host_address, std::memory_order_release);
}

void KernelTable::erase(const void* host_address) {
  const Slots& slots = *generations_.back();
  Slot* slot = &slots.place_for(host_address);
  if (slot->key.load(std::memory_order_relaxed) != host_address) {
    return;
  }
  slot->kernel.store(nullptr, std::memory_order_release);
  // Erased slots that end a run of used ones are free: no search passes them on its way to a key.
  // Without this a process whose libraries come and go at ever new addresses would fill the table.
  if (slots.after(*slot).key.load(std::memory_order_relaxed) != nullptr) {
    return;
  }
  while (slot->key.load(std::memory_order_relaxed) != nullptr &&
         slot->kernel.load(std::memory_order_relaxed) == nullptr) {
    slot->key.store(nullptr, std::memory_order_release);
    --used_;
    slot = &slots.before(*slot);
  }
}

void KernelTable::grow() {
  const Slots& old = *generations_.back();
  auto bigger = std::make_unique<Slots>(capacity() * 2);
  used_ = 0;
  for (std::size_t i = 0; i <= old.mask; ++i) {
    const Kernel* kernel = old.slots[i].kernel.load(std::memory_order_relaxed);
    if (kernel != nullptr) {
      Slot& slot = bigger->place_for(kernel->host_address);
      slot.kernel.store(kernel, std::memory_order_relaxed);
      slot.key.store(kernel->host_address, std::memory_order_relaxed);
      ++used_;
    }
  }
  generations_.push_back(std::move(bigger));
  current_.store(generations_.back().get(), std::memory_order_release);
}

} // namespace gantry::core
