#include "simt/exec/code/call_plan.h"

#include <algorithm>

namespace gantry::simt::exec {

namespace {

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

} // namespace gantry::simt::exec
