#include "plugins/worker/arena.h"

#include "base/system_limits.h"
#include "plugins/memory_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gantry::worker {

namespace {

/// Where device memory is looked for first: neither programs nor workers have anything there, and
/// people recognise it.
constexpr std::uint64_t kUsualPlace = 0x3d00'0000'0000;
constexpr std::uint64_t kLastUsualPlace = 0x5000'0000'0000;

/// Reserves addresses without memory behind them, at `at` unless that is 0; null if there are none.
void* reserve(std::uint64_t size, std::uint64_t at) {
  const auto map = [&](std::uint64_t place, int flags) {
    return mmap(reinterpret_cast<void*>(place), size, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  };
  const auto map_at = [&](std::uint64_t place) -> void* {
    void* const found = map(place, MAP_FIXED_NOREPLACE);
    if (found == reinterpret_cast<void*>(place)) {
      return found;
    }
    if (found != MAP_FAILED) {
      munmap(found, size); // a system that does not know the flag
      errno = EEXIST;
    }
    return nullptr;
  };
  if (at != 0) {
    return map_at(at);
  }
  constexpr std::uint64_t kStep = std::uint64_t{1} << 40;
  for (std::uint64_t place = kUsualPlace; place + size < kLastUsualPlace; place += kStep) {
    if (void* const found = map_at(place); found != nullptr) {
      return found;
    }
  }
  void* const anywhere = map(0, 0);
  return anywhere == MAP_FAILED ? nullptr : anywhere;
}

} // namespace

int make_memory_file(const char* name, std::uint64_t size) {
  int descriptor = plugins::make_memory_file(name);
  if (descriptor >= 0 && descriptor <= STDERR_FILENO) {
    const int other = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(descriptor);
    descriptor = other;
  }
  if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(size)) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

tl::expected<Arena, std::string> Arena::make(std::uint64_t size, std::uint64_t at) {
  const int descriptor = make_memory_file("gantry-device-memory", size);
  if (descriptor < 0) {
    return tl::unexpected(fmt::format("a file in memory of {} bytes cannot be made: {}{}", size,
                                      std::strerror(errno), remedy_for(errno)));
  }
  void* const program =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  void* const device = program == MAP_FAILED ? nullptr : reserve(size, at);
  if (device == nullptr) {
    const int error = errno;
    if (program != MAP_FAILED) {
      munmap(program, size);
    }
    close(descriptor);
    return tl::unexpected(
        fmt::format("{} bytes of addresses cannot be had for device memory: {}{}, "
                    "or ask for less with the option memory=",
                    size, std::strerror(error), remedy_for(error)));
  }
  // A forked child has no use of the device, and would keep its memory.
  madvise(program, size, MADV_DONTFORK);
  return Arena(descriptor, static_cast<std::byte*>(program),
               reinterpret_cast<std::uint64_t>(device), size);
}

Arena::Arena(Arena&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      program_(std::exchange(other.program_, nullptr)), device_(other.device_), size_(other.size_) {
}

Arena::~Arena() {
  if (program_ != nullptr) {
    munmap(program_, size_);
    munmap(reinterpret_cast<void*>(device_), size_);
    close_file();
  }
}

void Arena::discard(std::uint64_t offset, std::uint64_t size) const {
  madvise(program_ + offset, size, MADV_REMOVE);
}

void Arena::close_file() {
  if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) {
    close(descriptor);
  }
}

} // namespace gantry::worker
