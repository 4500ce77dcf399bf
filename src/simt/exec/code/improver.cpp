#include "simt/exec/code/improver.h"

#include "simt/host/side_thread.h"

#include <mutex>
#include <set>
#include <string>
#include <tuple>

namespace gantry::simt::exec {

namespace {

using JobName = std::tuple<const ProgramCode*, std::uint32_t, Geometry>;

/// Jobs that wait, or are under way.
struct Jobs {
  std::mutex mutex;
  std::set<JobName> known;

  bool insert(const JobName& name) {
    const std::lock_guard lock(mutex);
    return known.insert(name).second;
  }
  void erase(const JobName& name) {
    const std::lock_guard lock(mutex);
    known.erase(name);
  }
};
Jobs& jobs() {
  static auto* const all = new Jobs;
  return *all;
}

} // namespace

void improve(std::shared_ptr<ProgramCode> program, std::uint32_t function, Geometry geometry) {
  const JobName name{program.get(), function, geometry};
  if (!jobs().insert(name)) {
    return;
  }
  std::string of(program->name(function));
  const auto work = [program = std::move(program), name](void (*between_passes)()) {
    program->improve(std::get<1>(name), std::get<2>(name), between_passes);
    jobs().erase(name);
  };
  (void)SideThread::instance().put({std::move(of), work});
}

} // namespace gantry::simt::exec
