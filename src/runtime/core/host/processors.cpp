#include "runtime/core/host/processors.h"

#include <array>

#include <sys/syscall.h>
#include <unistd.h>

namespace gantry::core {

namespace {

constexpr std::size_t kMost = 8192; ///< that Linux can have

struct Processors {
  std::array<unsigned long, kMost / (8 * sizeof(unsigned long))> mask{};
  std::size_t words = 0;
};

constinit Processors at_start;

[[gnu::constructor]] void note_processors() {
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof at_start.mask, at_start.mask.data());
  at_start.words = bytes > 0 ? static_cast<std::size_t>(bytes) / sizeof(unsigned long) : 0;
}

} // namespace

std::span<const unsigned long> processors_at_start() {
  return std::span(at_start.mask).first(at_start.words);
}

} // namespace gantry::core
