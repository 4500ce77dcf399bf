#include "worker.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <thread>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::simt::fuzz {

namespace {

constexpr unsigned kReducingPatience = 4; ///< seconds

} // namespace

Progress& shared_progress() {
  static auto* const progress = new (mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                                          MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Progress;
  return *progress;
}

void set_stage(const char* stage) {
  shared_progress().stage = stage;
}

Ended in_other_process(const std::function<int()>& work, unsigned patience,
                       const std::function<void()>& meanwhile) {
  using Clock = std::chrono::steady_clock;
  Progress& progress = shared_progress();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int status = work();
    std::fflush(stdout);
    _exit(status);
  }
  std::uint64_t seed = progress.seed;
  auto since = Clock::now();
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) ? Ended{Ending::kDone, WEXITSTATUS(status)}
                               : Ended{Ending::kCrashed, WTERMSIG(status)};
    }
    if (seed != progress.seed) {
      seed = progress.seed;
      since = Clock::now();
    } else if (Clock::now() - since > std::chrono::seconds(patience)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return {Ending::kStuck, 0};
    }
    if (meanwhile) {
      meanwhile();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Judgement judge(const Kernel& kernel, const std::string& driver, unsigned patience) {
  const Ended ended = in_other_process(
      [&] {
        // The core and the report of each attempt are of no use.
        std::freopen("/dev/null", "w", stderr);
        return static_cast<int>(compare(kernel, driver, set_stage).verdict);
      },
      patience);
  return {ended.ending,
          ended.ending == Ending::kDone ? static_cast<Verdict>(ended.status) : Verdict::kDiffers};
}

void reduce(Kernel& kernel, const std::string& driver,
            const std::function<void(const std::string&)>& say) {
  const Judgement wanted = judge(kernel, driver, kReducingPatience);
  if (wanted.verdict != Verdict::kDiffers) {
    say("nothing to reduce: the kernel does not fail");
    return;
  }
  unsigned tries = 0;
  const auto still_fails = [&] {
    ++tries;
    return judge(kernel, driver, kReducingPatience) == wanted;
  };
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Node*> nodes;
    kernel.text.collect(nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Node& node = *nodes[i];
      // Later ones that were inside of one that is gone make no difference to the text.
      const std::string before = kernel.text.text();
      for (bool Node::* change : {&Node::is_dropped, &Node::is_open}) {
        if (node.*change || (change == &Node::is_open && !node.may_open)) {
          continue;
        }
        node.*change = true;
        if (kernel.text.text() == before || still_fails()) {
          changed |= kernel.text.text() != before;
          break;
        }
        node.*change = false;
      }
    }
    say(fmt::format("after {} attempts, {} lines are left", tries,
                    std::ranges::count(kernel.text.text(), '\n')));
  }
}

} // namespace gantry::simt::fuzz
