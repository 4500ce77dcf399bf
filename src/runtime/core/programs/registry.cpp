#include "runtime/core/programs/registry.h"

#include <algorithm>

namespace gantry::core {

Registry::Held::Held(Registry& registry) : registry_(registry) {
  const std::lock_guard lock(registry.mutex_);
  programs_ = registry.programs_;
  for (const RegisteredProgram& program : programs_) {
    ++registry.holds_[program.id];
  }
}

Registry::Held::Held(Registry& registry, ProgramId id) : registry_(registry) {
  const std::lock_guard lock(registry.mutex_);
  const auto program = std::ranges::find(registry.programs_, id, &RegisteredProgram::id);
  if (program != registry.programs_.end()) {
    programs_.push_back(*program);
    ++registry.holds_[id];
  }
}

Registry::Held::~Held() {
  const std::lock_guard lock(registry_.mutex_);
  for (const RegisteredProgram& program : programs_) {
    const auto holds = registry_.holds_.find(program.id);
    if (--holds->second == 0) {
      registry_.holds_.erase(holds);
    }
  }
  registry_.let_go_.notify_all();
}

void Registry::add(const void* descriptor, const void* location, DecodeProgram decoder) {
  const std::lock_guard lock(mutex_);
  programs_.push_back({++last_id_, descriptor, location, decoder, unified_shared_memory_.load()});
  generation_.fetch_add(1, std::memory_order_release);
}

ProgramId Registry::remove(const void* descriptor) {
  Lock lock(mutex_);
  const auto program = std::ranges::find(programs_, descriptor, &RegisteredProgram::descriptor);
  if (program == programs_.end()) {
    return 0;
  }
  const ProgramId id = program->id;
  programs_.erase(program);
  let_go_.wait(lock, [&] { return !holds_.contains(id); });
  return id;
}

bool Registry::empty() const {
  const std::lock_guard lock(mutex_);
  return programs_.empty();
}

bool Registry::has_program_in(std::uintptr_t begin, std::uintptr_t end) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(programs_, [&](const RegisteredProgram& program) {
    const auto location = reinterpret_cast<std::uintptr_t>(program.location);
    return location >= begin && location < end;
  });
}

} // namespace gantry::core
