// libexec/gantry-worker CONTROL MEMORY PROGRAM ALIVE: the process that is a device. Started by the
// worker plugin with four descriptors: the two files of protocol.h, the program's process, and the
// end of a pipe of which the program has the other.
//
// The first thread sees to it that the worker ends when the program does, and when a kernel takes
// too long. Another one starts a thread for each channel.
#include "plugins/worker/futex.h"
#include "plugins/worker/server/faults.h"
#include "plugins/worker/server/operations.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gantry/plugin.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace gantry::worker;

namespace {

/// Says why the worker cannot work, and ends.
[[noreturn]] void fail(Control& control, const std::string& why) {
  std::strncpy(control.failure, why.c_str(), sizeof control.failure - 1);
  control.state.store(static_cast<std::uint32_t>(State::kFailed));
  wake_all(control.state);
  _exit(EXIT_FAILURE);
}

/// The system marks control.life when this thread ends.
void register_life(Control& control) {
  auto& life = control.life;
  life.life.store(static_cast<std::uint32_t>(gettid()));
  life.next = control.life_list;
  control.life_list[0] = &life.next;
  control.life_list[1] = reinterpret_cast<void*>(reinterpret_cast<std::byte*>(&life.life) -
                                                 reinterpret_cast<std::byte*>(&life.next));
  control.life_list[2] = nullptr;
  syscall(SYS_set_robust_list, control.life_list, sizeof control.life_list);
}

/// Starts a thread for each channel that comes into use.
[[noreturn]] void start_servers(Control& control) {
  for (std::uint32_t served = 0;;) {
    const std::uint32_t count = control.channel_count.load();
    for (; served < count; ++served) {
      Channel& channel = control.channels[served];
      std::thread([&control, &channel] {
        enter_thread(&channel);
        serve(control, channel);
      }).detach();
    }
    wait_in_system(control.channel_count, count);
  }
}

/// What changes when a process begins another program.
std::string identity_of(std::int32_t process) {
  std::ifstream file(fmt::format("/proc/{}/auxv", process), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void look_for_slow_kernels(Control& control) {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const std::uint64_t limit = control.time_limit * 1'000'000;
  const std::uint64_t now = static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                            static_cast<std::uint64_t>(time.tv_nsec);
  for (std::uint32_t i = 0; i < control.channel_count.load(); ++i) {
    Channel& channel = control.channels[i];
    const std::uint64_t kernel = channel.kernel.load();
    const std::uint64_t since = channel.since.load(std::memory_order_relaxed);
    if (kernel != 0 && now > since && now - since > limit && channel.kernel.load() == kernel) {
      end_by_time(channel);
    }
  }
}

/// Returns when the program has ended or begun another program. That it has closed the pipe means
/// nothing: programs close descriptors that they do not know.
void wait_for_end_of_program(Control& control, int program, int alive) {
  constexpr int kLook = 20; // milliseconds
  const std::string identity = identity_of(control.program);
  pollfd descriptors[] = {{.fd = program, .events = POLLIN, .revents = 0},
                          {.fd = alive, .events = POLLIN, .revents = 0}};
  for (;;) {
    const int ready = poll(descriptors, 2, control.time_limit != 0 ? kLook : -1);
    if (ready < 0 && errno != EINTR) {
      return;
    }
    if (descriptors[0].revents != 0) {
      return;
    }
    if (ready > 0 && descriptors[1].revents != 0) {
      if (identity.empty() || identity_of(control.program) != identity) {
        return;
      }
      descriptors[1].fd = -1;
    }
    if (control.time_limit != 0) {
      look_for_slow_kernels(control);
    }
  }
}

} // namespace

int main(int count, char** words) {
  if (count != 5) {
    std::fputs("gantry-worker is started by Gantry's runtime, for devices of the kind 'worker'\n",
               stderr);
    return 2;
  }
  const auto descriptor = [&](int i) {
    return static_cast<int>(std::strtol(words[i], nullptr, 10));
  };
  void* const shared =
      mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor(1), 0);
  if (shared == MAP_FAILED) {
    return 2;
  }
  Control& control = *static_cast<Control*>(shared);
  if (control.version != kProtocolVersion) {
    fail(control, fmt::format("gantry-worker speaks version {} of its protocol and the plugin "
                              "version {}; they are of different installations",
                              kProtocolVersion, control.version));
  }
  register_life(control);
  prctl(PR_SET_NAME, "gantry-worker");
  // The first thread's stack would grow into addresses that are the program's; it needs little.
  constexpr rlim_t kStack = 256 << 10;
  rlimit stack = {};
  getrlimit(RLIMIT_STACK, &stack);
  if (stack.rlim_cur == RLIM_INFINITY) {
    // That is the layout's, see process.h; threads would get small stacks.
    constexpr std::size_t kThreadStack = 8 << 20;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kThreadStack);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  stack.rlim_cur = std::min(stack.rlim_cur, kStack);
  setrlimit(RLIMIT_STACK, &stack);

  auto* const begin = reinterpret_cast<void*>(control.memory_begin);
  if (mmap(begin, control.memory_size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
           descriptor(2), 0) != begin) {
    fail(control, fmt::format("{} bytes of device memory cannot be had at {}: {}",
                              control.memory_size, begin, std::strerror(errno)));
  }
  if (__tgt_rtl_init_device(0, control.openmp_number, "separate") != GANTRY_SUCCESS) {
    fail(control, __tgt_rtl_error_message());
  }
  // Whole lines, so that a kernel that fails has said what it printed.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  watch_for_faults(control);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::thread([&control] { start_servers(control); }).detach();
  control.state.store(static_cast<std::uint32_t>(State::kReady));
  wake_all(control.state);
  wait_for_end_of_program(control, descriptor(3), descriptor(4));
  _exit(EXIT_SUCCESS);
}
