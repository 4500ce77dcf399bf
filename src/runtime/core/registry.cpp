#include "runtime/core/registry.h"

#include <algorithm>

namespace gantry::core {

bool Registry::contains(ProgramId id) const {
  return std::ranges::any_of(programs_, [&](const auto& program) { return program.id == id; });
}

void Registry::add(const void* descriptor, const void* location, DecodeProgram decode) {
  const std::lock_guard lock(mutex_);
  programs_.push_back({++last_id_, descriptor, location, decode, unified_shared_memory_.load()});
  generation_.fetch_add(1, std::memory_order_release);
}

ProgramId Registry::remove(const void* descriptor) {
  const auto program = std::ranges::find(programs_, descriptor, &RegisteredProgram::descriptor);
  if (program == programs_.end()) {
    return 0;
  }
  const ProgramId id = program->id;
  programs_.erase(program);
  return id;
}

} // namespace gantry::core
