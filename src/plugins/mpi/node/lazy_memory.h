// Memory for bytes that are said to come. As many may be said to come as there never are: only what
// comes costs memory.
#pragma once

#include "base/result.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include <sys/mman.h>

namespace gantry::mpi {

/// All zero, until something has come. Empty when it is made.
class LazyMemory {
public:
  LazyMemory() = default;

  /// Fails if there are not as many addresses. Unmapped with the object.
  [[nodiscard]] static Result<LazyMemory> of(std::uint64_t size) {
    LazyMemory made;
    if (size == 0) {
      return made;
    }
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      return fail("there is no memory for {} bytes: {}", size, std::strerror(errno));
    }
    made.memory_ = {static_cast<std::byte*>(memory), Unmap{size}};
    return made;
  }

  [[nodiscard]] std::span<std::byte> bytes() const {
    return {memory_.get(), memory_.get_deleter().size};
  }

private:
  struct Unmap {
    std::size_t size;
    void operator()(std::byte* memory) const { munmap(memory, size); }
  };
  std::unique_ptr<std::byte, Unmap> memory_;
};

} // namespace gantry::mpi
