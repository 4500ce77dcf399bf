#include "plugins/worker/server/lifetime.h"

#include "plugins/worker/futex.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gantry::worker {

namespace {

/// What changes when a process begins another program.
std::string identity_of(std::int32_t process) {
  std::ifstream file(fmt::format("/proc/{}/auxv", process), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

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

void fail_start(Control& control, const std::string& why) {
  std::strncpy(control.failure, why.c_str(), sizeof control.failure - 1);
  control.state.store(static_cast<std::uint32_t>(State::kFailed));
  wake_all(control.state);
}

// That the program has closed the pipe means nothing: programs close descriptors that they do not
// know.
void wait_for_end(const Control& control, int program, int alive, int process, void (*look)()) {
  constexpr int kMillisecondsBetweenLooks = 20;
  const std::string identity = identity_of(control.program);
  pollfd descriptors[] = {{.fd = program, .events = POLLIN, .revents = 0},
                          {.fd = process, .events = POLLIN, .revents = 0},
                          {.fd = alive, .events = POLLIN, .revents = 0}};
  for (;;) {
    const int ready =
        poll(descriptors, std::size(descriptors), look != nullptr ? kMillisecondsBetweenLooks : -1);
    if (ready < 0 && errno != EINTR) {
      return;
    }
    if (descriptors[0].revents != 0 || descriptors[1].revents != 0) {
      return;
    }
    if (ready > 0 && descriptors[2].revents != 0) {
      if (identity.empty() || identity_of(control.program) != identity) {
        return;
      }
      descriptors[2].fd = -1;
    }
    if (look != nullptr) {
      look();
    }
  }
}

} // namespace gantry::worker
