// Loaded code that has been compiled: which of it, and how waves come to it. The place of an
// instruction at which compiled code may be entered runs that code, instead of the instruction.
#pragma once

#include "simt/amdgcn/exec/code_map.h"
#include "simt/amdgcn/exec/compile_request.h"

#include <atomic>
#include <cstdint>

namespace gantry::simt::amdgcn {

/// Of an instruction's place, where compiled code may be entered.
struct CompiledPlace {
  CompiledRun run = nullptr;
  std::uint32_t number = 0;
  unsigned lanes = 0;                 ///< of the waves that it is for
  Meaning::Run interpreted = nullptr; ///< the instruction
};

/// Whether compiled code may be entered there; other threads publish some meanwhile.
[[nodiscard]] inline bool is_entry_of_compiled(const Instruction& place) {
  return __atomic_load_n(&place.compiled, __ATOMIC_RELAXED) != nullptr;
}

/// What runs the instruction alone; `run` is what its place has.
[[nodiscard]] Meaning::Run interpreted(const Instruction& instruction, Meaning::Run run);

/// How much of the code that begins somewhere has been interpreted.
class Heat {
public:
  /// So many turns of loops more; true once, when it is worth to compile it.
  bool add(std::uint32_t turns) {
    constexpr std::uint32_t kHot = 2000;
    const std::uint32_t before = turns_.fetch_add(turns, std::memory_order_relaxed);
    return before < kHot && before + turns >= kHot;
  }

private:
  std::atomic<std::uint32_t> turns_ = 0;
};

/// Compiles what is reached from the place, beside what runs. Once it is there, waves of `lanes`
/// lanes go over to it. Nothing happens if it cannot be compiled: it is interpreted.
void compile_beside(LoadedCode::State& code, const Instruction* entry, unsigned lanes);
/// Likewise, on this thread's time, unless it has been compiled.
void compile_now(LoadedCode::State& code, const Instruction* entry, unsigned lanes);

/// The wave is at the beginning of a function that it calls, which is interpreted: compiles it
/// beside what runs if that happens often.
void warm_function(const Wave& wave);

} // namespace gantry::simt::amdgcn
