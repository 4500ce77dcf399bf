#include "plugins/mpi/hydra.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include <poll.h>
#include <unistd.h>

namespace gantry::mpi {

bool finalise_by_hydra() {
  const char* const variable = secure_getenv("PMI_FD");
  const std::string_view text = variable == nullptr ? "" : variable;
  int descriptor = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), descriptor);
  if (error != std::errc() || end != text.data() + text.size() || descriptor < 0) {
    return false;
  }
  constexpr std::string_view kDone = "cmd=finalize\n";
  if (write(descriptor, kDone.data(), kDone.size()) != static_cast<ssize_t>(kDone.size())) {
    return false;
  }
  constexpr int kPatience = 5000; // ms
  std::string answer;
  while (answer.find('\n') == std::string::npos) {
    pollfd watched = {.fd = descriptor, .events = POLLIN, .revents = 0};
    std::array<char, 256> buffer = {};
    const int ready = poll(&watched, 1, kPatience);
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    const ssize_t count = ready > 0 ? read(descriptor, buffer.data(), buffer.size()) : 0;
    if (count <= 0) {
      return false;
    }
    answer.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return answer.starts_with("cmd=finalize_ack");
}

} // namespace gantry::mpi
