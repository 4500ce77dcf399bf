#include "simt/amdgcn/exec/executor.h"

#include "simt/amdgcn/exec/compiled_code.h"
#include "simt/amdgcn/exec/compiler_library.h"
#include "simt/amdgcn/exec/group_run.h"
#include "simt/amdgcn/exec/launch.h"
#include "simt/amdgcn/exec/watch.h"
#include "simt/host/settings.h"
#include "simt/host/side_thread.h"
#include "simt/host/thread_pool.h"
#include "simt/memory/host_memory.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <vector>

namespace gantry::simt::amdgcn {

namespace {

/// Places that no launch uses, kept for the next one.
class Places {
public:
  static Places& instance() {
    static auto* const all = new Places;
    return *all;
  }
  std::unique_ptr<GroupRun> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      return std::make_unique<GroupRun>();
    }
    auto taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  void give_back(std::unique_ptr<GroupRun> place) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(place));
  }

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<GroupRun>> free_;
};

/// There is no quick code: where nothing else is asked for, all is interpreted.
bool is_compiling() {
  return settings().mode == Mode::kCompile && settings().code != CodeChoice::kQuick &&
         may_compile();
}

} // namespace

void prepare_thread() {
  if (!is_compiling()) {
    return;
  }
  SideThread::stop_with_this_thread(nullptr);
  if (settings().code == CodeChoice::kOptimised) {
    open_compiler();
  }
}

tl::expected<void, Fault> run(const Dispatch& dispatch) {
  auto launch = read_launch(dispatch);
  if (!launch) {
    return tl::unexpected(std::move(launch.error()));
  }
  launch->grid.kernel = launch->kernel;
  if (may_use_host_memory(dispatch.device)) {
    look_at_host_memory_anew();
  }
  const std::unique_ptr<DispatchChecks> checks = checks_of(*launch);
  if (checks == nullptr && is_compiling() && mode::is_plain(launch->registers.mode)) {
    const Instruction* const entry = launch->code->at(launch->entry);
    launch->grid.is_compiled = true;
    launch->heat = &launch->code->heat(entry, launch->grid.lanes);
    if (settings().code == CodeChoice::kOptimised) {
      compile_now(*launch->code, entry, launch->grid.lanes);
    }
  }
  const std::uint64_t groups = launch->group_count();
  const unsigned limit = settings().threads != 0 ? settings().threads : ThreadPool::cores();
  const auto threads = static_cast<unsigned>(std::min<std::uint64_t>(limit, groups));
  std::atomic<std::uint64_t> next = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::optional<Fault> fault;
  const auto fail = [&](Fault what) {
    const std::lock_guard lock(mutex);
    if (!fault) {
      fault = std::move(what);
    }
    stop.store(true, std::memory_order_relaxed);
  };
  ThreadPool::instance().run(threads, [&](unsigned /*thread*/) {
    auto place = Places::instance().take();
    if (!place->begin(*launch, checks.get())) {
      constexpr std::string_view kWhat =
          "no memory is left for its work-groups' LDS and private memory";
      fail({.kind = FaultKind::kInvalidPacket,
            .what = std::string(kWhat),
            .kernel = launch->kernel,
            .report = fmt::format("gantry: error: kernel '{}': {}\n", launch->kernel, kWhat)});
    }
    for (std::uint64_t group = next++; group < groups && !stop.load(std::memory_order_relaxed);
         group = next++) {
      if (auto found = place->run(*launch, group, stop)) {
        fail(std::move(*found));
      }
    }
    Places::instance().give_back(std::move(place));
  });
  if (fault) {
    return tl::unexpected(std::move(*fault));
  }
  return {};
}

} // namespace gantry::simt::amdgcn
