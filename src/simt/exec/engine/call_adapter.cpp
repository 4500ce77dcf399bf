#include "simt/exec/engine/call_adapter.h"

#include "simt/exec/code/call_plan.h"
#include "simt/exec/engine/scheduler.h"
#include "simt/exec/engine/system_calls.h"
#include "simt/exec/reports/fault_report.h"

#include <algorithm>
#include <alloca.h>
#include <cstring>

namespace gantry::simt::exec {

namespace {

constexpr std::size_t kWordBytes = std::size_t{kLanes} * sizeof(std::uint64_t);
/// The most that an adapter takes of the stack's reserve for functions of exec/.
constexpr std::size_t kMostBytes = 64 << 10;

/// The offset of a byte of a lane's value in words for 32 lanes.
std::size_t place_of(std::uint32_t first_word, std::uint32_t word_bytes, std::uint64_t byte,
                     unsigned lane) {
  return (first_word + byte / word_bytes) * kWordBytes + std::size_t{lane} * word_bytes +
         byte % word_bytes;
}

void move(const std::vector<CallPlan::Move>& moves, const std::byte* from, std::byte* to,
          LaneMask active) {
  for (const CallPlan::Move& value : moves) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (std::uint64_t byte = 0; (active >> lane & 1) != 0 && byte < value.size; ++byte) {
        to[place_of(value.to, value.to_word_bytes, byte, lane)] =
            from[place_of(value.from, value.from_word_bytes, byte, lane)];
      }
    }
  }
}

} // namespace

// Machine code of kernels lacks the prefix that UndefinedBehaviorSanitizer looks for.
__attribute__((no_sanitize("function"))) void call_adapted(Warp* warp, LaneMask active,
                                                           void* arguments, void* results) {
  const CallPlan& plan = *warp->call_plan;
  const Site site = warp->call_site;
  const std::size_t bytes = (std::size_t{plan.argument_words} + plan.result_words) * kWordBytes;
  if (bytes > kMostBytes) {
    fail(*warp, trap_fault(*warp, active, Trap::kStackOverflow, site));
  }
  constexpr std::size_t kAlignment = 64; // as compiled code lays words out
  auto* words = static_cast<std::byte*>(
      __builtin_alloca_with_align(std::max(bytes, kWordBytes), kAlignment * 8));
  std::memset(words, 0, bytes);
  std::byte* const returned = words + std::size_t{plan.argument_words} * kWordBytes;
  move(plan.arguments, static_cast<const std::byte*>(arguments), words, active);
  if (plan.system) {
    system_call(*warp, active, *plan.system, reinterpret_cast<const std::uint64_t*>(words),
                reinterpret_cast<std::uint64_t*>(returned), site);
  } else {
    const Launch& launch = *warp->block->launch;
    launch.program->code->known(plan.function, launch.geometry)(warp, active, words, returned);
  }
  std::memset(results, 0, std::size_t{plan.caller_result_words} * kWordBytes);
  move(plan.results, returned, static_cast<std::byte*>(results), active);
}

} // namespace gantry::simt::exec
