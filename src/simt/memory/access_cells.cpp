#include "simt/memory/access_cells.h"

#include <algorithm>

#include <sys/mman.h>
#include <unistd.h>

namespace gantry::simt {

namespace {

constexpr std::uint64_t kCell = sizeof(std::uint64_t);
/// In front of each kind of cells, and behind the last; a multiple of any page size.
constexpr std::uint64_t kMargin = 64 << 10;
static_assert(kMargin >= AccessCells::kRoom * kCell);

constexpr std::uint64_t bytes_of_kind(std::uint64_t arena_size) {
  return arena_size / 4 * kCell;
}

constexpr std::uint64_t bytes_of_all(std::uint64_t arena_size) {
  return 2 * bytes_of_kind(arena_size) + 3 * kMargin;
}

/// Whole pages are given back, because that is quicker and frees them.
void clear_cells(std::uint64_t* first, std::uint64_t* last) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uint64_t>(first);
  const auto end = reinterpret_cast<std::uint64_t>(last);
  std::uint64_t from = (begin + page - 1) & ~(page - 1);
  std::uint64_t to = end & ~(page - 1);
  if (from >= to || madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED) != 0) {
    from = to = end;
  }
  const auto zero = [](std::uint64_t* at, const std::uint64_t* before) {
    for (; at < before; ++at) {
      __atomic_store_n(at, 0, __ATOMIC_RELAXED);
    }
  };
  zero(first, reinterpret_cast<std::uint64_t*>(from));
  zero(reinterpret_cast<std::uint64_t*>(to), last);
}

} // namespace

std::unique_ptr<AccessCells> AccessCells::reserve(std::uint64_t arena, std::uint64_t size) {
  void* const memory = mmap(nullptr, bytes_of_all(size), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return nullptr;
  }
  madvise(memory, bytes_of_all(size), MADV_HUGEPAGE);
  return std::unique_ptr<AccessCells>(new AccessCells(arena, size, memory));
}

AccessCells::AccessCells(std::uint64_t arena, std::uint64_t size, void* memory)
    : arena_(arena), size_(size), memory_(static_cast<std::byte*>(memory)),
      writes_(reinterpret_cast<std::uint64_t*>(memory_ + kMargin)),
      reads_(reinterpret_cast<std::uint64_t*>(memory_ + bytes_of_kind(size) + 2 * kMargin)) {}

AccessCells::~AccessCells() {
  munmap(memory_, bytes_of_all(size_));
}

void AccessCells::clear(std::uint64_t address, std::uint64_t size) {
  if (!covers(address) || size == 0) {
    return;
  }
  const std::uint64_t end = address + std::min(size, size_ - (address - arena_));
  clear_cells(write(address), write(end - 1) + 1);
  clear_cells(read(address), read(end - 1) + 1);
}

void AccessCells::clear_all() {
  madvise(memory_, bytes_of_all(size_), MADV_DONTNEED);
}

} // namespace gantry::simt
