#include "simt/memory/device_memory.h"

#include "simt/host/of_thread.h"
#include "simt/host/settings.h"
#include "simt/memory/pages.h"
#include "simt/memory/range_allocator.h"
#include "simt/memory/shadow.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace gantry::simt {

namespace {

constexpr std::uint64_t kLargestArena = std::uint64_t{256} << 30;
constexpr std::uint64_t kSmallestArena = std::uint64_t{1} << 30;
/// Memory is committed in chunks of this: the shadow of one is 2 MiB, a huge page.
constexpr std::uint64_t kChunk = 32 << 20;
/// Between allocations, at least: an access a little past one of them meets nothing.
constexpr std::uint64_t kGuard = 512;
/// Behind the shadow: code reads words of it where it means bytes (lower/warp_checks.cpp).
constexpr std::uint64_t kShadowRoom = 64 << 10;
/// Blocks from this size on have their pages given back when they are freed.
constexpr std::uint64_t kGiveBack = 64 << 10;
/// Allocations from this size on are worth huge pages.
constexpr std::uint64_t kHuge = 4 << 20;
/// Resident bytes that freed blocks may hold before they are reused. One whose pages are given back
/// costs little but its page tables and weighs a 64th.
constexpr std::uint64_t kQuarantine = 64 << 20;
constexpr std::uint64_t kGivenBackShare = 64;
constexpr std::size_t kFreedRemembered = 1024;

using AllocationMap = std::map<std::uint64_t, Allocation>;

std::uint64_t block_size(std::uint64_t size) {
  return round_up(size, DeviceMemory::kAlignment) + kGuard;
}

/// Reserves `size` bytes at `at`; null if something is there.
std::byte* reserve_at(std::uint64_t at, std::uint64_t size, int protection) {
  void* const place =
      mmap(reinterpret_cast<void*>(at), size, protection,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (place != MAP_FAILED && place != reinterpret_cast<void*>(at)) {
    munmap(place, size); // a system that does not know the flag
    return nullptr;
  }
  return place == MAP_FAILED ? nullptr : static_cast<std::byte*>(place);
}

/// Reserves `size` bytes at a multiple of kChunk; null if there is no room.
std::byte* reserve(std::uint64_t size, int protection) {
  void* const place =
      mmap(nullptr, size + kChunk, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    return nullptr;
  }
  auto* const begin = static_cast<std::byte*>(place);
  const std::uint64_t before = round_up(reinterpret_cast<std::uint64_t>(begin), kChunk) -
                               reinterpret_cast<std::uint64_t>(begin);
  if (before != 0) {
    munmap(begin, before);
  }
  munmap(begin + before + size, kChunk - before);
  return begin + before;
}

/// Of a map that is const or not, an allocation that is as well.
auto* containing(auto& allocations, std::uint64_t address) {
  auto next = allocations.upper_bound(address);
  auto* none = decltype(&next->second){nullptr};
  if (next == allocations.begin()) {
    return none;
  }
  auto& candidate = std::prev(next)->second;
  return address - candidate.address < candidate.size ? &candidate : none;
}

bool is_inside(const Allocation& allocation, std::uint64_t address) {
  return address - allocation.address < allocation.size;
}

/// Bytes from `address` to the nearest byte of the allocation.
std::uint64_t distance(const Allocation& allocation, std::uint64_t address) {
  if (address < allocation.address) {
    return allocation.address - address;
  }
  return is_inside(allocation, address) ? 0 : address - (allocation.address + allocation.size) + 1;
}

/// A thread's last result of find(), because most calls of a program are about the same few
/// allocations.
struct FoundLast {
  std::uint64_t generation = 0; ///< of the allocations when it was found
  Allocation allocation;
};

/// Whether the whole of it is accessible from the start.
bool is_accessible(const Allocation& allocation) {
  return allocation.kind != MemoryKind::kShared && allocation.kind != MemoryKind::kLocal &&
         allocation.kind != MemoryKind::kReserved;
}

bool is_window(const Allocation& allocation) {
  return allocation.kind == MemoryKind::kShared || allocation.kind == MemoryKind::kLocal;
}

} // namespace

struct DeviceMemory::State {
  std::uint64_t arena = 0;
  std::uint64_t arena_size = 0;
  Shadow shadow;
  std::unique_ptr<UninitialisedBytes> uninitialised;
  std::unique_ptr<AccessCells> access_cells;

  mutable std::shared_mutex mutex; ///< for all below; the shadow itself is read without it
  RangeAllocator ranges;
  std::vector<bool> committed; ///< by chunk
  AllocationMap live;
  AllocationMap registered;
  std::atomic<bool> any_registered = false;
  /// Changes with `live` and `registered`.
  std::atomic<std::uint64_t> generation = 1;
  std::atomic<std::uint64_t> removals = 0;
  std::deque<Allocation> freed; ///< the last ones

  bool reserve_arena();
  bool commit(std::uint64_t address, std::uint64_t size);
  [[nodiscard]] bool in_arena(std::uint64_t address, std::uint64_t size) const {
    return address - arena < arena_size && size <= arena_size - (address - arena);
  }
  void note_change() {
    any_registered.store(!registered.empty(), std::memory_order_release);
    generation.fetch_add(1, std::memory_order_release);
  }
  void note_removal() { removals.fetch_add(1, std::memory_order_release); }
};

bool DeviceMemory::State::reserve_arena() {
  for (std::uint64_t size = kLargestArena; size >= kSmallestArena; size /= 2) {
    std::byte* const place = settings().arena == 0 ? reserve(size, PROT_NONE)
                                                   : reserve_at(settings().arena, size, PROT_NONE);
    if (place == nullptr) {
      continue;
    }
    std::byte* const granules = reserve(size / kGranule + kShadowRoom, PROT_READ);
    if (granules == nullptr) {
      munmap(place, size);
      continue;
    }
    if (settings().checks.init) {
      uninitialised = UninitialisedBytes::reserve(reinterpret_cast<std::uint64_t>(place), size);
    }
    if (settings().checks.race) {
      access_cells = AccessCells::reserve(reinterpret_cast<std::uint64_t>(place), size);
    }
    if ((settings().checks.init && !uninitialised) || (settings().checks.race && !access_cells)) {
      munmap(place, size);
      munmap(granules, size / kGranule + kShadowRoom);
      continue;
    }
    madvise(granules, size / kGranule, MADV_HUGEPAGE);
    arena = reinterpret_cast<std::uint64_t>(place);
    arena_size = size;
    shadow = Shadow(reinterpret_cast<std::uint8_t*>(granules), arena);
    committed.resize(size / kChunk);
    ranges = RangeAllocator(arena + kGuard, arena_size - kGuard, kQuarantine);
    return true;
  }
  return false;
}

bool DeviceMemory::State::commit(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t end = (address + size - 1 - arena) / kChunk + 1;
  for (std::uint64_t chunk = (address - arena) / kChunk; chunk < end; ++chunk) {
    if (committed[chunk]) {
      continue;
    }
    std::uint64_t last = chunk + 1;
    while (last < end && !committed[last]) {
      ++last;
    }
    constexpr int kReadWrite = PROT_READ | PROT_WRITE;
    const std::uint64_t bytes = (last - chunk) * kChunk;
    if (mprotect(reinterpret_cast<void*>(arena + chunk * kChunk), bytes, kReadWrite) != 0 ||
        mprotect(shadow.granules() + chunk * (kChunk / kGranule), bytes / kGranule, kReadWrite) !=
            0) {
      return false;
    }
    std::fill(committed.begin() + static_cast<std::ptrdiff_t>(chunk),
              committed.begin() + static_cast<std::ptrdiff_t>(last), true);
    chunk = last - 1;
  }
  return true;
}

DeviceMemory::DeviceMemory() : state_(std::make_unique<State>()) {}

DeviceMemory* DeviceMemory::instance() {
  // Never destroyed: runtimes call the driver from their last destructors.
  static DeviceMemory* const memory = []() -> DeviceMemory* {
    auto* const made = new DeviceMemory();
    if (!made->state_->reserve_arena()) {
      delete made;
      return nullptr;
    }
    return made;
  }();
  return memory;
}

std::optional<std::uint64_t> DeviceMemory::allocate(const Allocation& what) {
  State& state = *state_;
  if (what.size == 0 || what.size >= state.arena_size) {
    return std::nullopt;
  }
  const std::uint64_t size = block_size(what.size);
  std::optional<std::uint64_t> address;
  {
    const std::unique_lock lock(state.mutex);
    if (what.address == 0) {
      address = state.ranges.take(size);
    } else if (what.address % kGranule == 0 && state.ranges.take_at(what.address, size)) {
      address = what.address;
    }
    if (!address) {
      return std::nullopt;
    }
    if (!state.commit(*address, size)) {
      state.ranges.retire(*address, size, 0);
      return std::nullopt;
    }
  }
  // Nobody else knows the block yet, so that what takes time needs no lock.
  if (what.size >= kHuge && is_accessible(what)) {
    const std::uint64_t first = round_up(*address, page_size());
    madvise(reinterpret_cast<void*>(first), *address + what.size - first, MADV_HUGEPAGE);
  }
  if (is_accessible(what)) {
    state.shadow.make_accessible(*address, what.size);
  }

  if (state.uninitialised && what.kind == MemoryKind::kDevice) {
    state.uninitialised->mark_uninitialised(*address, what.size);
  } else if (state.uninitialised && what.kind != MemoryKind::kReserved) {
    state.uninitialised->mark_written(*address, what.size);
  }

  Allocation allocation = what;
  allocation.address = *address;
  allocation.divided = !is_accessible(what);
  const std::unique_lock lock(state.mutex);
  state.live.emplace(*address, std::move(allocation));
  state.note_change();
  return address;
}

bool DeviceMemory::free(std::uint64_t address) {
  State& state = *state_;
  Allocation gone;
  {
    const std::unique_lock lock(state.mutex);
    const auto found = state.live.find(address);
    if (found == state.live.end()) {
      return false;
    }
    gone = std::move(found->second);
    state.live.erase(found);
    state.note_change();
  }
  // Neither live nor free: the block is this thread's alone until it retires.
  if (!is_window(gone)) {
    state.shadow.make_inaccessible(address, round_up(gone.size, kGranule));
    state.note_removal();
  }
  const std::uint64_t size = block_size(gone.size);
  const bool given_back = gone.size >= kGiveBack && give_back(address, gone.size).second != 0;
  if (state.access_cells && gone.size >= kGiveBack) {
    state.access_cells->clear(address, gone.size);
  }

  const std::unique_lock lock(state.mutex);
  state.ranges.retire(address, size, given_back ? size / kGivenBackShare : size);
  // Not windows: each launch frees some, which would displace the program's own allocations.
  if (!is_window(gone)) {
    state.freed.push_back(std::move(gone));
    if (state.freed.size() > kFreedRemembered) {
      state.freed.pop_front();
    }
  }
  return true;
}

std::optional<Allocation> DeviceMemory::find(std::uint64_t address) const {
  const State& state = *state_;
  const bool ours = state.in_arena(address, 1);
  if (!ours && !state.any_registered.load(std::memory_order_acquire)) {
    return std::nullopt;
  }
  auto& [generation, last] = of_thread<FoundLast>();
  if (generation == state.generation.load(std::memory_order_acquire) && is_inside(last, address)) {
    return last;
  }
  const std::shared_lock lock(state.mutex);
  const Allocation* const found = containing(ours ? state.live : state.registered, address);
  if (found == nullptr) {
    return std::nullopt;
  }
  generation = 0;
  last = *found;
  generation = state.generation.load(std::memory_order_relaxed);
  return last;
}

std::optional<DeviceMemory::Nearest> DeviceMemory::nearest(std::uint64_t address) const {
  const State& state = *state_;
  const std::shared_lock lock(state.mutex);
  const Allocation* best = nullptr;
  bool freed = false;
  const auto consider = [&](const Allocation& candidate, bool is_freed) {
    if (is_window(candidate) && !is_inside(candidate, address)) {
      return false;
    }
    if (best == nullptr || distance(candidate, address) < distance(*best, address)) {
      best = &candidate;
      freed = is_freed;
    }
    return true;
  };
  for (const AllocationMap* allocations : {&state.live, &state.registered}) {
    const auto next = allocations->upper_bound(address);
    for (auto after = next; after != allocations->end() && !consider(after->second, false);) {
      ++after;
    }
    for (auto before = next; before != allocations->begin();) {
      --before;
      if (consider(before->second, false)) {
        break;
      }
    }
  }
  // The last freed first: of several that had the same place it is the one that matters. One whose
  // place is in use again is history.
  for (auto gone = state.freed.rbegin(); gone != state.freed.rend(); ++gone) {
    const auto behind = state.live.lower_bound(gone->address + gone->size);
    const bool reused = behind != state.live.begin() &&
                        std::prev(behind)->first + std::prev(behind)->second.size > gone->address;
    if (!reused) {
      consider(*gone, true);
    }
  }
  return best == nullptr ? std::nullopt : std::optional(Nearest{*best, freed});
}

bool DeviceMemory::register_host(std::uint64_t address, std::uint64_t size, std::uint64_t context) {
  State& state = *state_;
  const std::uint64_t arena_end = state.arena + state.arena_size;
  if (address == 0 || size == 0 || address + size < address ||
      (address < arena_end && address + size > state.arena)) {
    return false;
  }
  const std::unique_lock lock(state.mutex);
  const auto next = state.registered.lower_bound(address);
  if (next != state.registered.end() && next->first - address < size) {
    return false;
  }
  if (next != state.registered.begin() && is_inside(std::prev(next)->second, address)) {
    return false;
  }
  state.registered.emplace(address, Allocation{.address = address,
                                               .size = size,
                                               .kind = MemoryKind::kRegistered,
                                               .device = 0,
                                               .context = context,
                                               .name = {}});
  state.note_change();
  return true;
}

bool DeviceMemory::unregister_host(std::uint64_t address) {
  const std::unique_lock lock(state_->mutex);
  const bool found = state_->registered.erase(address) != 0;
  state_->note_change();
  state_->note_removal();
  return found;
}

void DeviceMemory::set_accessible(std::uint64_t address, std::uint64_t size, bool accessible) {
  if (size == 0 || !state_->in_arena(address, size)) {
    return;
  }
  if (accessible) {
    state_->shadow.make_accessible(address, size);
  } else {
    state_->shadow.make_inaccessible(address, size);
  }
}

void DeviceMemory::set_freed(std::uint64_t address, std::uint64_t size, bool freed) {
  {
    const std::unique_lock lock(state_->mutex);
    if (Allocation* const whole = containing(state_->live, address)) {
      whole->divided = freed || address != whole->address || size != whole->size;
    }
  }
  set_accessible(address, size, !freed);
  if (freed) {
    state_->note_removal();
  }
}

std::optional<DeviceMemory::Range> DeviceMemory::known_range(std::uint64_t address) const {
  const State& state = *state_;
  const std::shared_lock lock(state.mutex);
  const Allocation* const whole =
      containing(state.in_arena(address, 1) ? state.live : state.registered, address);
  if (whole == nullptr || is_window(*whole) || whole->kind == MemoryKind::kHeap) {
    return std::nullopt;
  }
  if (!whole->divided) {
    return Range{whole->address, whole->size};
  }
  const auto [first, size] =
      state.shadow.accessible_around(address, whole->address, whole->address + whole->size);
  return size == 0 ? std::nullopt : std::optional(Range{first, size});
}

std::uint64_t DeviceMemory::removals() const {
  return state_->removals.load(std::memory_order_acquire);
}

bool DeviceMemory::accessible(std::uint64_t address, std::uint64_t size) const {
  const State& state = *state_;
  if (size == 0) {
    return true;
  }
  const std::uint64_t end = address + size;
  if (end < address) {
    return false;
  }
  if (state.in_arena(address, 1)) {
    if (!state.in_arena(address, size)) {
      return false;
    }
    return state.shadow.is_accessible(address, size);
  }
  const std::shared_lock lock(state.mutex);
  while (address < end) {
    const Allocation* const host = containing(state.registered, address);
    if (host == nullptr) {
      return false;
    }
    address = host->address + host->size;
  }
  return true;
}

std::uint64_t DeviceMemory::arena() const {
  return state_->arena;
}

std::uint64_t DeviceMemory::arena_size() const {
  return state_->arena_size;
}

const std::uint8_t* DeviceMemory::shadow() const {
  return state_->shadow.granules();
}

UninitialisedBytes* DeviceMemory::uninitialised() const {
  return state_->uninitialised.get();
}

void DeviceMemory::note_copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) {
  if (state_->uninitialised == nullptr) {
    return;
  }
  const auto found = find(to);
  if (found && found->kind != MemoryKind::kPinned && found->kind != MemoryKind::kManaged &&
      found->kind != MemoryKind::kRegistered) {
    state_->uninitialised->copy(to, from, size);
  }
}

AccessCells* DeviceMemory::access_cells() const {
  return state_->access_cells.get();
}

} // namespace gantry::simt
