// libexec/gantry-worker CONTROL MEMORY PROGRAM ALIVE [COMMAND…]: the process that is a device.
// Started by the worker plugin with four descriptors: the two files of protocol.h, the program's
// process, and the end of a pipe of which the program has the other. With a COMMAND, an emulator
// that is to run this program's like of another instruction set, it is that one's guardian.
//
// The first thread sees to it that the worker ends when the program does, and when a kernel takes
// too long. Another one starts a thread for each channel.
#include "base/monotonic.h"
#include "plugins/cpu/entries.h"
#include "plugins/last_error.h"
#include "plugins/worker/futex.h"
#include "plugins/worker/server/faults.h"
#include "plugins/worker/server/guardian.h"
#include "plugins/worker/server/lifetime.h"
#include "plugins/worker/server/operations.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gantry/plugin.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace gantry::worker;

namespace {

/// Says why the worker cannot work, and ends.
[[noreturn]] void fail(Control& control, const std::string& why) {
  fail_start(control, why);
  _exit(EXIT_FAILURE);
}

/// Starts a thread for each channel that comes into use.
[[noreturn]] void start_servers(gantry_device& device, Control& control) {
  for (std::uint32_t served = 0;;) {
    const std::uint32_t count = control.channel_count.load();
    for (; served < count; ++served) {
      Channel& channel = control.channels[served];
      std::thread([&device, &control, &channel] {
        enter_thread(&channel);
        serve(device, control, channel);
      }).detach();
    }
    wait_in_system(control.channel_count, count);
  }
}

void look_for_slow_kernels(Control& control) {
  const std::uint64_t limit = control.time_limit * 1'000'000;
  const std::uint64_t now = gantry::monotonic_now();
  for (std::uint32_t i = 0; i < control.channel_count.load(); ++i) {
    Channel& channel = control.channels[i];
    const std::uint64_t kernel = channel.kernel.load();
    const std::uint64_t since = channel.since.load(std::memory_order_relaxed);
    if (kernel != 0 && now > since && now - since > limit && channel.kernel.load() == kernel) {
      end_by_time(channel);
    }
  }
}

} // namespace

int main(int count, char** words) {
  constexpr int kOwnWords = 5;
  if (count < kOwnWords) {
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
  if (count > kOwnWords) {
    guard(control, words + kOwnWords, descriptor(3), descriptor(4));
  }
  if (control.emulated == 0) {
    register_life(control);
  }
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

  if (sysconf(_SC_PAGESIZE) != static_cast<long>(kPageSize)) {
    fail(control,
         fmt::format("pages have {} bytes here, expected {}", sysconf(_SC_PAGESIZE), kPageSize));
  }
  auto* const begin = reinterpret_cast<void*>(control.memory_begin);
  use_memory(descriptor(2));
  if (control.emulated == 0 &&
      mmap(begin, control.memory_size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
           descriptor(2), 0) != begin) {
    fail(control, fmt::format("{} bytes of device memory cannot be had at {}: {}",
                              control.memory_size, begin, std::strerror(errno)));
  }
  const char* const options = control.full_teams == 0 ? "separate" : "separate+threads=limit";
  const gantry_device_settings settings = {
      .size = sizeof settings, .openmp_number = control.openmp_number, .options = options};
  gantry_device* opened = nullptr;
  if (gantry::cpu::entries::open_device(0, &settings, &opened) != GANTRY_SUCCESS) {
    fail(control, gantry::plugins::last_error());
  }
  // Whole lines, so that a kernel that fails has said what it printed.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  watch_for_faults(control);
  // To the terminal the worker is in the background, where it must not be stopped.
  std::signal(SIGTTOU, SIG_IGN);
  std::signal(SIGTTIN, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::thread([&control, opened] { start_servers(*opened, control); }).detach();
  control.state.store(static_cast<std::uint32_t>(State::kReady));
  wake_all(control.state);
  static Control& watched = control;
  wait_for_end(
      control, descriptor(3), descriptor(4), -1,
      control.time_limit == 0 ? nullptr : [] { look_for_slow_kernels(watched); });
  _exit(EXIT_SUCCESS);
}
