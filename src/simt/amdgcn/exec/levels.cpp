#include "simt/amdgcn/exec/levels.h"

#include "simt/amdgcn/exec/level_meanings.h"

#include <atomic>
#include <vector>

namespace gantry::simt::amdgcn {

namespace {

#if defined(GANTRY_SIMT_LEVELS_X86)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt") &&
         __builtin_cpu_supports("popcnt");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

std::atomic<Level>& choice() {
  static std::atomic<Level> chosen = available_levels().back();
  return chosen;
}

} // namespace

std::span<const Level> available_levels() {
  static const auto* const all = [] {
    auto* const made = new std::vector<Level>{Level::kBaseline};
#if defined(GANTRY_SIMT_LEVELS_X86)
    if (has_avx2()) {
      made->push_back(Level::kAvx2);
    }
    if (has_avx512()) {
      made->push_back(Level::kAvx512);
    }
#endif
    return made;
  }();
  return *all;
}

std::string_view name_of(Level level) {
  switch (level) {
  case Level::kAvx2:
    return "avx2";
  case Level::kAvx512:
    return "avx512";
  default:
    return "baseline";
  }
}

const LevelMeanings& meanings_of(Level level) {
  switch (level) {
#if defined(GANTRY_SIMT_LEVELS_X86)
  case Level::kAvx2:
    return avx2::level_meanings();
  case Level::kAvx512:
    return avx512::level_meanings();
#endif
  default:
    return baseline::level_meanings();
  }
}

Level chosen_level() {
  return choice().load(std::memory_order_relaxed);
}
void choose_level(Level level) {
  choice().store(level, std::memory_order_relaxed);
}

} // namespace gantry::simt::amdgcn
