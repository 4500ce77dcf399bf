#include "runtime/core/reports/compiler_names.h"

#include <array>
#include <atomic>
#include <type_traits>

namespace gantry::core {

namespace {

/// Filled from the front; constant-initialised, since constructors of libraries come first.
constinit std::array<std::atomic<const CompilerNames*>, 4> compilers;

template <typename Answer, typename... Arguments>
Answer first_answer(std::optional<Answer> (*CompilerNames::*function)(Arguments...),
                    std::type_identity_t<Answer> otherwise,
                    std::type_identity_t<Arguments>... arguments) {
  for (const auto& place : compilers) {
    const CompilerNames* const compiler = place.load(std::memory_order_acquire);
    if (compiler != nullptr) {
      if (std::optional<Answer> answer = (compiler->*function)(arguments...)) {
        return *std::move(answer);
      }
    }
  }
  return otherwise;
}

} // namespace

void know_compiler(const CompilerNames& compiler) {
  for (auto& place : compilers) {
    const CompilerNames* there = nullptr;
    if (place.compare_exchange_strong(there, &compiler) || there == &compiler) {
      return;
    }
  }
}

std::string position(const char* location) {
  const std::string_view text = location == nullptr ? "" : location;
  return first_answer(&CompilerNames::position, std::string(text), text);
}

std::string_view function_name(const char* location) {
  return first_answer(&CompilerNames::function, "", location == nullptr ? "" : location);
}

std::string item_position(const char* map_name) {
  return first_answer(&CompilerNames::item_position, "", map_name == nullptr ? "" : map_name);
}

std::string_view variable_name(const char* map_name) {
  const std::string_view text = map_name == nullptr ? "" : map_name;
  return first_answer(&CompilerNames::variable, text, text);
}

std::string name_in_source(std::string_view symbol) {
  return first_answer(&CompilerNames::name_in_source, std::string(symbol), symbol);
}

std::string region_of_kernel(std::string_view kernel, const void* host_address) {
  return first_answer(&CompilerNames::region_of_kernel, "a region", kernel, host_address);
}

} // namespace gantry::core
