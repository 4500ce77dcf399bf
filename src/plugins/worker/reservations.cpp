#include "plugins/worker/reservations.h"

#include "plugins/worker/arena.h"
#include "plugins/worker/protocol.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace gantry::worker {

namespace {

/// What is reserved is a mapping of a file of this name, so that the plugins, which know nothing of
/// each other, can tell it from the program's own.
constexpr const char* kName = "gantry-reserved";

bool map(std::uint64_t begin, std::uint64_t end) {
  const int file = make_memory_file(kName, end - begin);
  if (file < 0) {
    return false;
  }
  auto* const wanted = reinterpret_cast<void*>(begin);
  void* const got = mmap(wanted, end - begin, PROT_NONE,
                         MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
  close(file);
  if (got != wanted && got != MAP_FAILED) {
    munmap(got, end - begin); // a system that does not know the flag
  }
  return got == wanted;
}

struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool reserved = false;
};

/// The first mapping of the process that ends behind `address`; empty if there is none.
Mapping mapping_behind(std::uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    char* rest = nullptr;
    Mapping mapping;
    mapping.begin = std::strtoull(line.c_str(), &rest, 16);
    mapping.end = *rest == '-' ? std::strtoull(rest + 1, nullptr, 16) : 0;
    if (mapping.end > address) {
      mapping.reserved = line.find(kName) != std::string::npos;
      return mapping;
    }
  }
  return {};
}

} // namespace

bool is_place_of_image(std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kMostOfImage = std::uint64_t{1} << 40;
  return begin < end && end - begin <= kMostOfImage && (begin | end) % kPageSize == 0;
}

bool reserve(std::uint64_t begin, std::uint64_t end) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  while (begin < end) {
    const Mapping next = mapping_behind(begin);
    const std::uint64_t stop = next.end == 0 ? end : std::clamp(next.begin, begin, end);
    if (begin < stop && !map(begin, stop)) {
      return false;
    }
    if (stop < end && !next.reserved) {
      return false;
    }
    begin = stop < end ? next.end : end;
  }
  return true;
}

} // namespace gantry::worker
