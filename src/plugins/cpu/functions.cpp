#include "plugins/cpu/functions.h"

#include "plugins/cpu/device.h"
#include "plugins/cpu/entries.h"
#include "plugins/cpu/image.h"

#include <algorithm>
#include <bit>

#include <dlfcn.h>

namespace gantry::cpu {

namespace {

constexpr const char* kSortedSymbol = "__omp_offloading_fptr_map_p";
constexpr const char* kSizeSymbol = "__omp_offloading_fptr_map_size";

/// At most a quarter of the slots is taken, so that most look-ups read one.
constexpr std::size_t kSlotsPerPair = 4;
constexpr std::size_t kFewestSlots = 64;

template <typename T>
void store(T& place, T value) {
  __atomic_store_n(&place, value, __ATOMIC_RELAXED);
}

template <typename T>
void set_variable(const gantry_image& image, const char* name, T value) {
  if (const Elf64_Sym* symbol = image.find(name);
      symbol != nullptr && symbol->st_size == sizeof(T)) {
    store(*static_cast<T*>(image.at(symbol->st_value)), value);
  }
}

} // namespace

Functions::Functions() {
  make_room(0);
}

void Functions::make_room(std::size_t pairs) {
  const std::size_t wanted = std::bit_ceil(std::max(pairs * kSlotsPerPair, kFewestSlots));
  if (!slots_.empty() && wanted <= table_.mask + 1) {
    return;
  }
  slots_.push_back(std::make_unique<gantry_function_slot[]>(wanted));
  // Who sees where the slots are sees zeros in them, and who sees that there are more sees where
  // they are.
  __atomic_store_n(&table_.slots, static_cast<const gantry_function_slot*>(slots_.back().get()),
                   __ATOMIC_RELEASE);
  __atomic_store_n(&table_.mask, static_cast<std::uint64_t>(wanted - 1), __ATOMIC_RELEASE);
}

void Functions::set(std::span<const __omp_offloading_fptr_map_ty> pairs) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t version = table_.version;
  store(table_.version, version + 1);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  make_room(pairs.size());
  gantry_function_slot* slots = slots_.back().get();
  for (std::uint64_t i = 0; i <= table_.mask; ++i) {
    store(slots[i].host, std::uintptr_t{0});
  }
  for (const auto& [host, device] : pairs) {
    std::uint64_t i = gantry_function_hash(static_cast<std::uintptr_t>(host)) & table_.mask;
    while (slots[i].host != 0) {
      i = (i + 1) & table_.mask;
    }
    store(slots[i].host, static_cast<std::uintptr_t>(host));
    store(slots[i].device, static_cast<std::uintptr_t>(device));
  }
  __atomic_store_n(&table_.version, version + 2, __ATOMIC_RELEASE);

  sorted_.assign(pairs.begin(), pairs.end());
  for (const gantry_image* image : images_) {
    show_sorted(*image);
  }
}

void Functions::show_sorted(const gantry_image& image) {
  set_variable(image, kSortedSymbol, sorted_.data());
  set_variable(image, kSizeSymbol, static_cast<std::uint64_t>(sorted_.size()));
}

void Functions::add(const gantry_image* image) {
  const std::lock_guard lock(mutex_);
  images_.push_back(image);
  show_sorted(*image);
}

void Functions::remove(const gantry_image* image) {
  const std::lock_guard lock(mutex_);
  std::erase(images_, image);
}

bool Functions::locate(const void* address, gantry_unknown_function& unknown) {
  Dl_info info;
  if (dladdr(address, &info) == 0) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  for (const gantry_image* image : images_) {
    if (image->base() == info.dli_fbase) {
      unknown.image = image->contents().data();
      unknown.image_size = image->contents().size();
      unknown.call = static_cast<std::uint64_t>(static_cast<const std::byte*>(address) -
                                                static_cast<const std::byte*>(info.dli_fbase));
      return true;
    }
  }
  return false;
}

} // namespace gantry::cpu

gantry_status gantry::cpu::entries::set_function_map(gantry_device* device,
                                                     const __omp_offloading_fptr_map_ty* table,
                                                     std::uint64_t count) noexcept {
  device->functions.set({table, count});
  return GANTRY_SUCCESS;
}
