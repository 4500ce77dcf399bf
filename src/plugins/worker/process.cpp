#include "plugins/worker/process.h"

#include "base/result.h"
#include "base/system_limits.h"
#include "plugins/worker/emulator.h"
#include "plugins/worker/futex.h"
#include "plugins/worker/kind.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::worker {

namespace {

constexpr int kDescriptors = 4;
constexpr std::size_t kStack = 64 << 10;
/// Between where libraries are in the one layout and in the other.
constexpr std::uintptr_t kMiddle = 0x4000'0000'0000;

/// What the processes between here and the worker need, which share this one's memory: they call
/// the system and nothing else.
struct StartPlan {
  const char* executable = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  std::array<int, kDescriptors> descriptors{};
  unsigned long personality = 0;
  std::span<const unsigned long> processors;
  bool limit_stack = false;
  std::byte* stack = nullptr; ///< of the worker until it is one
  int worker = -1;            ///< a descriptor of its process
  int error = 0;
};

int become_worker(void* argument) {
  auto& plan = *static_cast<StartPlan*>(argument);
  // What the terminal sends is for the program. A session of its own would do that too, but Linux
  // shares time out by sessions, and its version 6.18 can let those of others wait for seconds
  // while threads of one call sched_yield(), as libomp's do that wait for a target task.
  setpgid(0, 0);
  rlimit stack = {};
  getrlimit(RLIMIT_STACK, &stack);
  if (plan.limit_stack) {
    constexpr rlim_t kLimit = 8 << 20;
    stack.rlim_cur = std::min(kLimit, stack.rlim_max);
  }
  if (personality(plan.personality) < 0 && !plan.limit_stack) {
    // Some containers forbid it. Without a limit of the stack the layout is the same.
    stack.rlim_cur = stack.rlim_max;
  }
  setrlimit(RLIMIT_STACK, &stack);
  if (!plan.processors.empty()) {
    // The thread that is at the device first may be bound to one of them.
    syscall(SYS_sched_setaffinity, 0, plan.processors.size_bytes(), plan.processors.data());
  }
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const int descriptor : plan.descriptors) {
    fcntl(descriptor, F_SETFD, 0);
  }
  execve(plan.executable, plan.arguments, plan.environment);
  plan.error = errno;
  _exit(EXIT_FAILURE);
}

int begin_worker(void* argument) {
  auto& plan = *static_cast<StartPlan*>(argument);
  if (clone(become_worker, plan.stack, CLONE_VM | CLONE_VFORK | CLONE_PIDFD, argument,
            &plan.worker) < 0) {
    plan.error = errno;
  }
  _exit(EXIT_SUCCESS);
}

/// The program's variables but for those that would make the worker's libomp print again what the
/// program's has printed or start the program's tool again, and those that name libraries of
/// another instruction set.
std::vector<std::string> environment_of_worker(std::uint32_t threads) {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    constexpr std::array<std::string_view, 3> kPrinting = {"OMP_DISPLAY_ENV", "KMP_SETTINGS",
                                                           "KMP_VERSION"};
    constexpr std::array<std::string_view, 3> kOfTools = {"OMP_TOOL", "OMP_TOOL_LIBRARIES",
                                                          "OMP_TOOL_VERBOSE_INIT"};
    constexpr std::array<std::string_view, 3> kOfLibraries = {"LD_PRELOAD", "LD_LIBRARY_PATH",
                                                              "LD_AUDIT"};
    const bool left_out =
        std::ranges::find(kPrinting, name) != kPrinting.end() ||
        std::ranges::find(kOfTools, name) != kOfTools.end() ||
        (name == "OMP_NUM_THREADS" && threads != 0) ||
        (foreign_cpu() != nullptr && std::ranges::find(kOfLibraries, name) != kOfLibraries.end());
    if (!left_out) {
      variables.emplace_back(text);
    }
  }
  variables.emplace_back("OMP_TOOL=disabled"); // one may be preloaded
  if (threads != 0) {
    variables.push_back(fmt::format("OMP_NUM_THREADS={}", threads));
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

/// Where this plugin's library is. The dynamic loader is asked when it loads the plugin: later a
/// thread that is inside dlopen may wait for locks that are held here.
struct Installation {
  std::string folder = "."; ///< the folder that holds lib/ and libexec/
  bool high = false;        ///< libraries are in the upper half of the address space
};

Installation find_installation() {
  Installation found;
  Dl_info here = {};
  if (dladdr(reinterpret_cast<const void*>(&find_installation), &here) != 0) {
    found.high = reinterpret_cast<std::uintptr_t>(here.dli_fbase) > kMiddle;
    if (here.dli_fname != nullptr) {
      const std::string library = here.dli_fname;
      found.folder = library.substr(0, library.rfind('/') + 1) + "../..";
    }
  }
  return found;
}

const Installation& installation() {
  static const auto* const found = new Installation(find_installation());
  return *found;
}
[[gnu::constructor]] void find_installation_early() {
  (void)installation();
}

/// Starts the worker. A descriptor of its process, or -1 with errno.
int spawn(StartPlan& plan) {
  const auto stacks = std::make_unique_for_overwrite<std::byte[]>(2 * kStack);
  const auto top = [&](std::size_t end) {
    void* const address = stacks.get() + end;
    return static_cast<std::byte*>(address) - reinterpret_cast<std::uintptr_t>(address) % 16;
  };
  plan.stack = top(kStack);
  // The program's handlers must not run in processes that share its memory.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // Without a signal at its end, and so that only those find it who ask for such.
  const pid_t between =
      clone(begin_worker, top(2 * kStack), CLONE_VM | CLONE_VFORK | CLONE_FILES, &plan);
  if (between < 0) {
    plan.error = errno;
  } else {
    while (waitpid(between, nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = plan.error;
  return plan.error == 0 ? plan.worker : -1;
}

/// Waits until the worker has said that it is ready, or has not.
tl::expected<void, std::string> wait_until_ready(Control& control, int worker,
                                                 const std::string& executable) {
  constexpr std::chrono::milliseconds kEndCheckInterval(5);
  constexpr auto kStarting = static_cast<std::uint32_t>(State::kStarting);
  for (;;) {
    pollfd process = {.fd = worker, .events = POLLIN, .revents = 0};
    const bool ended = poll(&process, 1, 0) > 0;
    const auto state = static_cast<State>(control.state.load());
    if (state == State::kReady) {
      return {};
    }
    if (state == State::kFailed) {
      return tl::unexpected(std::string(control.failure));
    }
    if (ended) {
      return tl::unexpected(
          fmt::format("'{}' ended before it was ready; what it printed says why", executable));
    }
    wait_in_system(control.state, kStarting, kEndCheckInterval);
  }
}

} // namespace

tl::expected<std::vector<std::string>, std::string> worker_command() {
  const std::string& folder = installation().folder;
  std::vector<std::string> command{folder + "/libexec/gantry-worker"};
  if (access(command.front().c_str(), X_OK) != 0) {
    return tl::unexpected(
        fmt::format("'{}' is missing or cannot be run; install Gantry again", command.front()));
  }
  if (const ForeignCpu* const cpu = foreign_cpu(); cpu != nullptr) {
    const auto emulator = GANTRY_TRY(emulator_command(*cpu, folder));
    command.insert(command.end(), emulator.begin(), emulator.end());
  }
  return command;
}

void LifeLine::close() const {
  struct stat now = {};
  if (fstat(descriptor, &now) == 0 && now.st_dev == device && now.st_ino == inode) {
    ::close(descriptor);
  }
}

tl::expected<LifeLine, std::string> start_process(const ProcessFiles& files, Control& control,
                                                  std::uint32_t threads,
                                                  std::span<const unsigned long> processors) {
  const auto command = GANTRY_TRY(worker_command());
  const std::string& executable = command.front();
  const int program = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  int alive[2] = {-1, -1};
  if (program < 0 || pipe2(alive, O_CLOEXEC) != 0) {
    const int error = errno;
    close(program);
    return tl::unexpected(fmt::format("a worker cannot watch this process: {}{}",
                                      std::strerror(error), remedy_for(error)));
  }
  const std::array descriptors = {files.control, files.memory, program, alive[0]};
  std::vector<std::string> words{"gantry-worker"};
  const auto add_descriptors = [&] {
    for (const int descriptor : descriptors) {
      words.push_back(fmt::to_string(descriptor));
    }
  };
  add_descriptors();
  if (command.size() > 1) {
    words.insert(words.end(), command.begin() + 1, command.end());
    add_descriptors();
  }
  std::vector<std::string> variables = environment_of_worker(threads);
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment = pointers(variables);
  const bool high = installation().high;
  constexpr unsigned long kAsk = 0xffffffff;
  const auto own = static_cast<unsigned long>(personality(kAsk));
  StartPlan plan{.executable = executable.c_str(),
                 .arguments = arguments.data(),
                 .environment = environment.data(),
                 .descriptors = descriptors,
                 .personality = high ? own | ADDR_COMPAT_LAYOUT
                                     : own & ~static_cast<unsigned long>(ADDR_COMPAT_LAYOUT),
                 .processors = processors,
                 .limit_stack = !high};
  const int worker = spawn(plan);
  const int error = errno;
  close(program);
  close(alive[0]);
  if (worker < 0) {
    close(alive[1]);
    return tl::unexpected(fmt::format("'{}' cannot be started: {}{}", executable,
                                      std::strerror(error), remedy_for(error)));
  }
  const auto ready = wait_until_ready(control, worker, command.back());
  close(worker);
  struct stat pipe = {};
  fstat(alive[1], &pipe);
  const LifeLine life_line{.descriptor = alive[1], .device = pipe.st_dev, .inode = pipe.st_ino};
  if (!ready) {
    life_line.close();
    return tl::unexpected(ready.error());
  }
  return life_line;
}

} // namespace gantry::worker
