#include "simt/exec/call_adapter.h"

#include "simt/exec/block.h"
#include "simt/exec/fault_report.h"
#include "simt/exec/loaded_program.h"
#include "simt/exec/system_calls.h"

#include <algorithm>
#include <alloca.h>
#include <cstring>

namespace gantry::simt::exec {

namespace {

constexpr std::size_t kWordBytes = std::size_t{kLanes} * sizeof(std::uint64_t);
/// What an adapter may take of the part of a stack that is for the functions of exec/.
constexpr std::size_t kMostBytes = 64 << 10;

std::uint32_t words_of(const std::vector<ptx::PassedValue>& values) {
  std::uint32_t words = 0;
  for (const ptx::PassedValue& value : values) {
    words += static_cast<std::uint32_t>(value.words());
  }
  return words;
}

std::vector<CallPlan::Move> moves(const std::vector<ptx::PassedValue>& from,
                                  const std::vector<ptx::PassedValue>& to) {
  std::vector<CallPlan::Move> list;
  CallPlan::Move next;
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    next.from_word_bytes = static_cast<std::uint32_t>(from[i].word_bytes());
    next.to_word_bytes = static_cast<std::uint32_t>(to[i].word_bytes());
    next.size = std::min(from[i].size, to[i].size);
    list.push_back(next);
    next.from += static_cast<std::uint32_t>(from[i].words());
    next.to += static_cast<std::uint32_t>(to[i].words());
  }
  return list;
}

/// Where a byte of a lane's value is among words for 32 lanes.
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

CallPlan plan_call(const ptx::Program& program, Site site, std::uint32_t function) {
  const auto caller = static_cast<std::uint32_t>(site >> 32);
  const ptx::CallInterface given = ptx::interface_of_call(
      program, caller, program.definition(caller).instructions[static_cast<std::uint32_t>(site)]);
  ptx::CallInterface wanted = ptx::interface_of(program.definition(function));
  CallPlan plan;
  plan.function = function;
  plan.system = program.functions[function].system_call;
  if (plan.system) {
    // system_call() takes and gives words of 64 bits.
    for (std::vector<ptx::PassedValue>* list : {&wanted.parameters, &wanted.results}) {
      for (ptx::PassedValue& value : *list) {
        value.is_scalar = false;
      }
    }
  }
  plan.arguments = moves(given.parameters, wanted.parameters);
  plan.results = moves(wanted.results, given.results);
  plan.argument_words = words_of(wanted.parameters);
  plan.result_words = words_of(wanted.results);
  plan.caller_result_words = words_of(given.results);
  return plan;
}

// The code that it calls does not have in front of it what UndefinedBehaviorSanitizer looks for.
__attribute__((no_sanitize("function"))) void call_adapted(Warp* warp, LaneMask active,
                                                           void* arguments, void* results) {
  const CallPlan& plan = *warp->call_plan;
  const Site site = warp->call_site;
  const std::size_t bytes = (std::size_t{plan.argument_words} + plan.result_words) * kWordBytes;
  if (bytes > kMostBytes) {
    warp->block->fail(*warp, trap_fault(*warp, active, Trap::kStackOverflow, site));
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
