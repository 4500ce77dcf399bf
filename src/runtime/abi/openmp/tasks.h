// Tasks of libomp for routines that return before their work is done, and waiting for dependences.
//
// libomp is the OpenMP runtime of Clang's programs; it is there when the program was linked with
// -fopenmp. In a process without it nothing else could run meanwhile, and work is done at once.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gantry::abi::openmp {

/// One dependence as Clang lays it out for libomp.
struct Dependence {
  std::intptr_t address; ///< of the list item
  std::size_t length;    ///< its bytes
  std::uint8_t type;     ///< bits: 1 in, 2 out
};
static_assert(sizeof(Dependence) == 24);

/// The dependences of the `count` depend objects at `objects` (OpenMP 5.2, section 15.9.2).
[[nodiscard]] Result<std::vector<Dependence>> dependences_of(int count, void* const* objects);

/// Generates a child task of the current one that does `work` once its dependences are satisfied;
/// it is a target task as `nowait` makes one. `work` may not throw and reports what goes wrong
/// itself.
void run_deferred(std::span<const Dependence> dependences, std::function<void()> work);

/// Returns when the dependences are satisfied, as an included task with them would begin.
void wait_for(std::span<const Dependence> dependences);

} // namespace gantry::abi::openmp
