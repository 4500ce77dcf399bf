// In a worker for a foreign CPU, for which Debian has no libffi to build with: a function is called
// with more arguments than it has parameters, the next number of a few. The caller clears the stack
// in the calling conventions of aarch64 and powerpc64le, so that the others are nobody's.
#include "plugins/cpu/many_parameters.h"

#include "plugins/last_error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <gantry/plugin.h>

namespace gantry::cpu {

namespace {

constexpr std::size_t kMost = 512;

template <std::size_t>
using Parameter = void*;

template <std::size_t... Index>
void call(void* function, void* const* arguments, std::index_sequence<Index...> /*all*/) {
  reinterpret_cast<void (*)(Parameter<Index>...)>(function)(arguments[Index]...);
}

template <std::size_t Count>
void call(void* function, void* const* arguments) {
  call(function, arguments, std::make_index_sequence<Count>());
}

} // namespace

std::int32_t call_with_many(void* function, void* const* arguments, std::uint32_t count) {
  std::array<void*, kMost> all{};
  if (count > kMost) {
    return plugins::report(GANTRY_FAILURE,
                           "a kernel with {} parameters cannot be called on this device, which "
                           "takes {} at most; put some of them into one object",
                           count, kMost);
  }
  std::copy_n(arguments, count, all.begin());
  if (count <= 64) {
    call<64>(function, all.data());
  } else {
    call<kMost>(function, all.data());
  }
  return GANTRY_SUCCESS;
}

} // namespace gantry::cpu
