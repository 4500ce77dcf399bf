#include "plugins/mpi/own_job.h"

#include "plugins/mpi/silence.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::mpi {

namespace {

Result<std::uint32_t> number_in(const char* variable, std::uint32_t otherwise) {
  const char* const text = secure_getenv(variable);
  const std::string_view given = text == nullptr ? "" : text;
  if (given.empty()) {
    return otherwise;
  }
  constexpr std::uint32_t kMost = 1024;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (error != std::errc() || end != given.data() + given.size() || number == 0 || number > kMost) {
    return fail("{}: '{}' is not a number from 1 to {}", variable, given, kMost);
  }
  return number;
}

/// The program's number among those that a launcher has started with it; 0 if none has.
std::uint32_t own_rank() {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* const text = std::getenv(variable)) {
      return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
    }
  }
  return 0;
}

std::vector<std::string> machines() {
  std::vector<std::string> all;
  const char* const text = secure_getenv("GANTRY_MPI_HOSTS");
  for (std::string_view left = text == nullptr ? "" : text; !left.empty();) {
    const std::size_t end = std::min(left.find(','), left.size());
    if (end > 0) {
      all.emplace_back(left.substr(0, end));
    }
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return all;
}

/// libexec/gantry-node of the installation that this library is part of.
Result<std::string> node_program() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&node_program), &info) == 0 ||
      info.dli_fname == nullptr) {
    return fail("this plugin's file is not known");
  }
  std::error_code error;
  const auto file = std::filesystem::canonical(info.dli_fname, error);
  return (file.parent_path().parent_path().parent_path() / "libexec/gantry-node").string();
}

/// By its file's name, behind links: MPICH's is mpiexec.hydra.
bool is_open_mpis(const std::string& launcher) {
  std::error_code error;
  const std::string name = std::filesystem::canonical(launcher, error).filename().string();
  return name.find("hydra") == std::string::npos && name.find("mpich") == std::string::npos;
}

/// The machines of the job's processes, one after the other, as launchers read them: "a:2,b:1".
/// Empty: where the launcher puts them.
std::string places_of(std::uint32_t nodes) {
  const std::vector<std::string> on = machines();
  if (on.empty()) {
    return "";
  }
  std::array<char, 256> own = {};
  gethostname(own.data(), own.size() - 1);
  std::string last = own.data(); // the relay is where the program is
  std::uint32_t count = 1;
  std::string text;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    if (const std::string& next = on[(own_rank() * nodes + i) % on.size()]; next == last) {
      ++count;
    } else {
      text += fmt::format("{}:{},", std::exchange(last, next), std::exchange(count, 1));
    }
  }
  return text + fmt::format("{}:{}", last, count);
}

/// The launcher's line.
Result<std::vector<std::string>> line_of(const std::string& launcher) {
  const std::string node = GANTRY_TRY(node_program());
  const std::uint32_t nodes = GANTRY_TRY(number_in("GANTRY_MPI_NODES", 1));
  const std::string places = places_of(nodes);
  const bool is_open = is_open_mpis(launcher);
  std::vector<std::string> line = {launcher};
  if (is_open) {
    line.insert(line.end(), {"--enable-recovery", "--bind-to", "none", "--oversubscribe"});
  }
  if (!places.empty()) {
    line.insert(line.end(), {is_open ? "--host" : "-hosts", places});
  }
  line.insert(line.end(), {"-n", "1", node, "--relay", ":", "-n", std::to_string(nodes), node});
  return line;
}

/// Whether a launcher has put the variable into its processes' environment, as what says which of
/// its processes they are. Of Open MPI's parameters those are the user's that are not of its own
/// daemons.
bool is_of_a_job(std::string_view variable) {
  constexpr std::array<std::string_view, 8> kUsers = {
      "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_btl", "OMPI_MCA_pml",   "OMPI_MCA_mtl",
      "OMPI_MCA_coll",          "OMPI_MCA_mpi", "OMPI_MCA_rmaps", "PMIX_MCA_pcompress"};
  constexpr std::array<std::string_view, 11> kOfJobs = {"OMPI_",
                                                        "PMIX_",
                                                        "PMI_",
                                                        "HYDI_",
                                                        "MPI_LOCAL",
                                                        "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=",
                                                        "ORTE_",
                                                        "GANTRY_DEVICES=",
                                                        "GANTRY_MPI_LAUNCHER=",
                                                        "_GANTRY_MPI_PROCESS=",
                                                        "_GANTRY_MPI_JOB="};
  const auto is_prefix = [&](std::string_view prefix) { return variable.starts_with(prefix); };
  return std::ranges::any_of(kOfJobs, is_prefix) && std::ranges::none_of(kUsers, is_prefix);
}

std::vector<std::string> environment_of(const std::string& socket) {
  std::vector<std::string> kept;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!is_of_a_job(*variable)) {
      kept.emplace_back(*variable);
    }
  }
  kept.push_back(fmt::format("{}={}", kRelaySocket, socket));
  return kept;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

Status read_all(int socket, std::span<std::byte> room) {
  while (!room.empty()) {
    const ssize_t count = recv(socket, room.data(), room.size(), 0);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0 && errno == EAGAIN) {
      return fail("the job's first process, the relay, has not met its nodes in time");
    }
    if (count <= 0) {
      return fail("the job's first process, the relay, has ended");
    }
    room = room.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

struct Started {
  int self = 0;
  int processes = 0;
  std::vector<OwnJob::FoundNode> nodes;
};

Result<Started> hear_of_start(int connection) {
  constexpr std::uint64_t kLongest = 8192;
  constexpr std::uint32_t kMostProcesses = 1 << 20;
  Started started;
  for (;;) {
    Frame frame = {};
    GANTRY_TRY(read_all(connection, std::as_writable_bytes(std::span(&frame, 1))));
    if (frame.size > kLongest) {
      return fail("what the relay says is damaged");
    }
    std::string text(frame.size, '\0');
    GANTRY_TRY(read_all(connection, std::as_writable_bytes(std::span(text))));
    switch (frame.kind) {
    case FrameKind::kRefused:
      return fail("{}", text);
    case FrameKind::kNode:
      started.nodes.push_back({frame.process, std::move(text)});
      break;
    case FrameKind::kStarted: {
      started.self = frame.process;
      started.processes = static_cast<int>(std::min(frame.number, kMostProcesses));
      std::vector<int> all = {started.self};
      for (const OwnJob::FoundNode& node : started.nodes) {
        all.push_back(node.process);
      }
      std::ranges::sort(all);
      const bool are_all_there = all.front() >= 0 && all.back() < started.processes &&
                                 std::ranges::adjacent_find(all) == all.end();
      return are_all_there ? Result<Started>(std::move(started))
                           : fail("what the relay says of the job's processes is damaged");
    }
    default:
      return fail("what the relay says is damaged");
    }
  }
}

} // namespace

Result<std::unique_ptr<OwnJob>> OwnJob::start(const char* launcher, std::uint64_t patience) {
  if (access(launcher, X_OK) != 0) {
    return fail(
        "GANTRY_MPI_LAUNCHER names '{}', which cannot be run: {}; it takes the launcher with "
        "its folder, as in /usr/bin/mpiexec.hydra",
        launcher, std::strerror(errno));
  }
  std::unique_ptr<OwnJob> made(new OwnJob(launcher, patience));
  std::string socket;
  GANTRY_TRY(made->listen(socket));
  auto line = GANTRY_TRY(line_of(launcher));
  GANTRY_TRY(made->launch(std::move(line), socket));
  return made;
}

OwnJob::~OwnJob() {
  for (const int descriptor : {listener_, alive_}) {
    if (descriptor >= 0) {
      close(descriptor);
    }
  }
}

Status OwnJob::listen(std::string& name) {
  std::uint64_t random = 0;
  (void)!getrandom(&random, sizeof random, 0);
  name = fmt::format("gantry-mpi-{}-{:016x}", getpid(), random);
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  name.copy(address.sun_path + 1, name.size()); // behind a 0: it is no file
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::listen(listener_, 1) != 0) {
    return fail("a socket for the job's relay cannot be had: {}", std::strerror(errno));
  }
  return {};
}

Status OwnJob::launch(std::vector<std::string> line, const std::string& socket) {
  std::vector<std::string> environment = environment_of(socket);
  const std::vector<char*> words = pointers_to(line);
  const std::vector<char*> variables = pointers_to(environment);
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail("a pipe cannot be had: {}", std::strerror(errno));
  }
  alive_ = ends[0];
  // The launcher is a child of a process that ends at once: the program does not find one among its
  // children.
  const pid_t between = fork();
  if (between == 0) {
    const pid_t launched = fork();
    if (launched == 0) {
      fcntl(ends[1], F_SETFD, 0);
      const int nothing = open("/dev/null", O_RDONLY);
      dup2(nothing, STDIN_FILENO);
      execve(words[0], words.data(), variables.data());
      _exit(127);
    }
    _exit(launched < 0 ? 1 : 0);
  }
  close(ends[1]);
  int status = 0;
  while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR) {
  }
  return between > 0 && status == 0
             ? Status()
             : fail("'{}' cannot be started: {}", launcher_, std::strerror(errno));
}

Result<int> OwnJob::accepted() const {
  const int patience =
      patience_ == 0 ? -1 : static_cast<int>(patience_of_start(patience_) / kMillisecond);
  for (;;) {
    std::array<pollfd, 2> watched = {{{.fd = listener_, .events = POLLIN, .revents = 0},
                                      {.fd = alive_, .events = POLLIN, .revents = 0}}};
    const int ready = poll(watched.data(), watched.size(), patience);
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready == 0) {
      return fail("the job that '{}' starts has not come up for {} s", launcher_, patience / 1000);
    }
    if ((watched[0].revents & POLLIN) == 0) {
      return fail("'{}' (GANTRY_MPI_LAUNCHER) has ended before its job has begun: it says why",
                  launcher_);
    }
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    ucred peer = {};
    socklen_t size = sizeof peer;
    if (connection >= 0 && getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
        peer.uid == geteuid()) {
      return connection;
    }
    if (connection >= 0) {
      close(connection); // somebody else's
    }
  }
}

Result<OwnJob::Met> OwnJob::meet() {
  const int connection = GANTRY_TRY(accepted());
  close(std::exchange(listener_, -1));
  // A bit longer than the relay, which says why.
  const timeval patience = {
      .tv_sec =
          patience_ == 0 ? 0 : static_cast<time_t>(patience_of_start(patience_) / kSecond) + 5,
      .tv_usec = 0};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return meet_over(connection);
}

Result<OwnJob::Met> OwnJob::meet_over(int connection) {
  Result<Started> started = hear_of_start(connection);
  if (!started) {
    close(connection);
    return tl::unexpected(started.error());
  }
  return Met{std::make_unique<RelayTransport>(connection, started->self, started->processes),
             std::move(started->nodes)};
}

void OwnJob::wait_for_end() const {
  constexpr int kPatience = 5'000; // ms
  pollfd watched = {.fd = alive_, .events = 0, .revents = 0};
  (void)poll(&watched, 1, kPatience);
}

} // namespace gantry::mpi
