#include "runtime/core/programs/compiler.h"

#include <array>
#include <atomic>

namespace gantry::core {

namespace {

/// Filled from the front; constant-initialised, since programs are registered by constructors.
constinit std::array<std::atomic<const Compiler*>, 4> compilers;

template <typename Ask>
std::string first_answer(Ask ask) {
  for (const auto& place : compilers) {
    const Compiler* const compiler = place.load(std::memory_order_acquire);
    if (std::string answer = compiler == nullptr ? "" : ask(*compiler); !answer.empty()) {
      return answer;
    }
  }
  return {};
}

} // namespace

void know_compiler(const Compiler& compiler) {
  for (auto& place : compilers) {
    const Compiler* there = nullptr;
    if (place.compare_exchange_strong(there, &compiler) || there == &compiler) {
      return;
    }
  }
}

std::string region_of_kernel(std::string_view kernel, const void* host_address) {
  std::string region = first_answer(
      [&](const Compiler& compiler) { return compiler.region_of_kernel(kernel, host_address); });
  return region.empty() ? "a region" : region;
}

std::string name_in_source(std::string_view symbol) {
  std::string name =
      first_answer([&](const Compiler& compiler) { return compiler.name_in_source(symbol); });
  return name.empty() ? std::string(symbol) : name;
}

} // namespace gantry::core
