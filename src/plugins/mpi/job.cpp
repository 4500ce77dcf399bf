#include "plugins/mpi/job.h"

#include "base/monotonic.h"
#include "plugins/mpi/mpi_transport.h"
#include "plugins/mpi/own_job.h"
#include "plugins/mpi/roles.h"
#include "plugins/mpi/silence.h"
#include "plugins/mpi/start_watch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gantry::mpi {

namespace {

constexpr std::uint64_t kMicrosecond = 1'000;

/// What the program has started; never freed, as threads may use it until the process ends.
struct Started {
  std::mutex mutex; ///< of meeting the nodes of an own job
  std::unique_ptr<Library> mpi;
  std::unique_ptr<OwnJob> own;
  bool is_met = false; ///< the own job's nodes
  std::atomic<bool> is_ending{false};
  std::atomic<Job*> job{nullptr};
  std::string why_not;
};
Started& started() {
  static auto* const kept = new Started;
  return *kept;
}

/// What the launcher has made of the process: the same in those that it has started, unless a
/// launcher has started them too.
std::string place_in_job() {
  const auto value = [](const char* name) {
    const char* const found = std::getenv(name);
    return found == nullptr ? "" : found;
  };
  struct stat socket = {};
  const char* const descriptor = value("PMI_FD");
  const bool has_socket =
      *descriptor != '\0' &&
      fstat(static_cast<int>(std::strtol(descriptor, nullptr, 10)), &socket) == 0;
  return fmt::format("{}/{}/{}", value("PMIX_NAMESPACE"), value("PMI_RANK"),
                     has_socket ? socket.st_ino : 0);
}

/// False if a program that is part of the job has started this one, which thinks so too.
bool takes_its_place() {
  constexpr const char* kVariable = "_GANTRY_MPI_PROCESS";
  const std::string place = place_in_job();
  const std::string own = fmt::format("{} {}", getpid(), place);
  const char* const taken = std::getenv(kVariable);
  if (taken != nullptr && own != taken && std::string_view(taken).ends_with(" " + place)) {
    return false;
  }
  setenv(kVariable, own.c_str(), 1);
  return true;
}

/// Whether it is known that nodes were started with the program: several programs were.
bool has_nodes_in_job() {
  const char* const by_gantry = secure_getenv("_GANTRY_MPI_JOB");
  const char* const programs = std::getenv("OMPI_NUM_APP_CTX");
  return (by_gantry != nullptr && std::string_view(by_gantry) == "nodes") ||
         (programs != nullptr && std::strtol(programs, nullptr, 10) > 1);
}

constexpr const char* kInNoJob =
    "the program was not started in a job of MPI's; start it with `gantry mpirun -n 4 ./app`, or "
    "with mpirun -n 1 ./app : -n 3 gantry-node";

Result<Job*> start_job(std::unique_ptr<Library>& library) {
  if (!is_launched()) {
    return fail("{}", kInNoJob);
  }
  if (!takes_its_place()) {
    return fail("the program was started by one that is part of the job, and whose the nodes are; "
                "take GANTRY_DEVICES out of its environment");
  }
  if (const std::string own = present_library(); !own.empty()) {
    Error why{fmt::format(
        "the program uses MPI itself ('{}'), and would find the nodes among its processes; let it "
        "start a job of its own for them: gantry mpirun --ranks, or GANTRY_MPI_LAUNCHER, which "
        "names a launcher",
        own)};
    if (has_nodes_in_job()) {
      // They would wait for MPI to start, and the program's calls for them.
      std::fprintf(stderr, "gantry: error: %s\n", why.message.c_str());
      _exit(EXIT_FAILURE);
    }
    return tl::unexpected(std::move(why));
  }
  library = GANTRY_TRY(open_library(secure_getenv("GANTRY_MPI")));
  const std::uint64_t patience = GANTRY_TRY(read_patience());
  const StartWatch watch("gantry", library->name(), patience);
  const ThreadLevel level = GANTRY_TRY(library->initialise());
  const Communicator world = library->world();
  const auto roles = GANTRY_TRY(gather_roles(*library, world, Role::What::kProgram));
  const int self = library->rank(world);
  const Parts parts = GANTRY_TRY(parts_of(roles, self));
  if (parts.nodes.empty()) {
    return fail("the job of {} {} has no node (the program's MPI is {}); start some with it, as in "
                "mpirun -n 1 ./app : -n 3 gantry-node, by the launcher of that MPI",
                roles.size(), roles.size() == 1 ? "process" : "processes", library->name());
  }
  if (level < ThreadLevel::kSerialized) {
    return fail("the MPI library ({}) can be called by one thread alone here, and nodes need more",
                library->name());
  }
  auto transport = GANTRY_TRY(MpiTransport::make(*library, world));
  std::vector<std::unique_ptr<RemoteNode>> nodes;
  for (const int node : parts.nodes) {
    if (parts.program_of(node) == self) {
      const std::string host = roles[static_cast<std::size_t>(node)].host_name();
      nodes.push_back(std::make_unique<RemoteNode>(*transport, node, host));
    }
  }
  if (nodes.empty()) {
    return fail("the job has {} programs and {} nodes, so that this program has none; start as "
                "many nodes at least",
                parts.programs.size(), parts.nodes.size());
  }
  return new Job(std::move(transport), std::move(nodes), patience);
}

/// Keeps why the own job is not there, and warns: else regions would run on the host and nobody
/// knew why.
void has_no_own_job(const Error& why) {
  started().why_not = why.message;
  if (started().is_ending) {
    return; // and has not used them
  }
  const char* const policy = std::getenv("OMP_TARGET_OFFLOAD");
  if (policy == nullptr || strcasecmp(policy, "mandatory") != 0) { // else it is an error's text
    std::fprintf(stderr, "gantry: warning: %s; the program has no nodes\n", why.message.c_str());
  }
}

/// The job that the launcher has been started for.
Result<Job*> meet_own_job(OwnJob& own) {
  auto met = GANTRY_TRY(own.meet());
  std::vector<std::unique_ptr<RemoteNode>> nodes;
  for (const auto& [process, host] : met.nodes) {
    nodes.push_back(std::make_unique<RemoteNode>(*met.transport, process, host));
  }
  return new Job(std::move(met.transport), std::move(nodes), GANTRY_TRY(read_patience()));
}

} // namespace

void Job::start() {
  const char* const launcher = secure_getenv("GANTRY_MPI_LAUNCHER");
  if (launcher != nullptr && *launcher != '\0') {
    auto own = read_patience().and_then(
        [&](std::uint64_t patience) { return OwnJob::start(launcher, patience); });
    if (own) {
      started().own = std::move(*own);
    } else {
      has_no_own_job(own.error());
    }
    return;
  }
  auto job = start_job(started().mpi);
  if (job) {
    started().job = *job;
  } else {
    started().why_not = job.error().message;
  }
}

void Job::adopt(Job* job) {
  started().job = job;
}

Result<Job*> Job::current() {
  Started& state = started();
  const std::lock_guard lock(state.mutex);
  if (state.own != nullptr && !std::exchange(state.is_met, true)) {
    auto job = meet_own_job(*state.own);
    if (job) {
      state.job = *job;
    } else {
      has_no_own_job(job.error());
    }
  }
  if (state.job == nullptr) {
    return fail("{}", !state.why_not.empty() ? state.why_not
                      : is_launched()
                          ? "GANTRY_DEVICES did not name it when the program was started"
                          : kInNoJob);
  }
  return state.job.load();
}

void Job::end() {
  Started& state = started();
  state.is_ending = true;
  if (state.own != nullptr) {
    (void)current(); // the nodes of a program that has not used them
  }
  if (state.job != nullptr && !state.job.load()->leave()) {
    return; // MPI would wait for nodes that are gone
  }
  if (state.job != nullptr && state.own != nullptr) {
    state.own->wait_for_end();
  }
  if (state.mpi != nullptr && state.mpi->is_initialised() && !state.mpi->is_finalised()) {
    (void)state.mpi->finalise();
  }
}

bool Job::leave() {
  is_ending_.store(true);
  if (thread_.joinable()) {
    thread_.join();
  }
  for (const auto& node : nodes_) {
    node->put(0, [](std::vector<std::byte>& out) { const Record record(out, Kind::kEnd, 0); });
    node->flush();
  }
  std::uint64_t looked = monotonic_now();
  const auto is_over = [](const auto& node) { return node->has_ended() || node->is_lost(); };
  for (Pause pause(kLongestPause); !std::ranges::all_of(nodes_, is_over); pause.once()) {
    poll();
    look_for_silence(monotonic_now(), looked);
  }
  const bool all_ended =
      std::ranges::all_of(nodes_, [](const auto& node) { return node->has_ended(); });
  for (const auto& node : nodes_) {
    node->put(0, [&](std::vector<std::byte>& out) {
      Record(out, Kind::kLeave, 0).put(static_cast<std::uint32_t>(all_ended ? 1 : 0));
    });
    node->flush();
    node->leave_transport();
  }
  const std::lock_guard lock(receiving_);
  if (all_ended) {
    transport_.reset();
  } else {
    abandoned_ = std::move(transport_);
  }
  return all_ended;
}

Job::Job(std::unique_ptr<Transport> transport, std::vector<std::unique_ptr<RemoteNode>> nodes,
         std::uint64_t patience, bool with_thread)
    : transport_(std::move(transport)), self_(transport_->self()), nodes_(std::move(nodes)),
      by_process_(static_cast<std::size_t>(transport_->processes())), patience_(patience) {
  for (const auto& node : nodes_) {
    by_process_[static_cast<std::size_t>(node->process())] = node.get();
  }
  say_that_it_is_there();
  if (with_thread) {
    thread_ = std::thread([this] { work(); });
  }
}

void Job::lose_all(const Error& error) {
  for (const auto& node : nodes_) {
    node->lose(error.message);
  }
}

std::uint64_t Job::lost_nodes() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(nodes_, [](const auto& node) { return node->is_lost(); }));
}

bool Job::poll() {
  const std::unique_lock lock(receiving_, std::try_to_lock);
  if (!lock.owns_lock() || transport_ == nullptr) {
    return false;
  }
  const std::uint64_t now = monotonic_now();
  const auto received = transport_->receive([&](int from, Bytes message) {
    RemoteNode* const node = by_process_[static_cast<std::size_t>(from)];
    if (node == nullptr) {
      return; // another program's
    }
    node->set_heard(now);
    if (const Status taken = node->take(message); !taken) {
      node->lose(taken.error().message);
    }
  });
  if (!received) {
    lose_all(received.error());
    return true;
  }
  bool has_changed = *received;
  for (const auto& node : nodes_) {
    if (node->take_loss()) {
      tell_of_loss(*node);
    }
    if (node->has_transfers()) {
      const auto ended = node->go_on_with_transfers();
      if (!ended) {
        lose_all(ended.error());
      }
      has_changed = has_changed || !ended || *ended;
    }
  }
  polled_.fetch_add(1, std::memory_order_relaxed);
  return has_changed;
}

void Job::tell_of_loss(const RemoteNode& lost) {
  for (const auto& node : nodes_) {
    node->put(0, [&](std::vector<std::byte>& out) {
      Record(out, Kind::kPeerLost, 0).put(std::int32_t{lost.process()});
    });
    node->flush();
  }
}

void Job::expect_something() {
  constexpr std::uint64_t kWhile = 10 * kMillisecond;
  expected_until_.store(monotonic_now() + kWhile, std::memory_order_relaxed);
}

Answer Job::answer_of(RemoteNode& node, std::uint32_t request) {
  std::optional<Answer> answer;
  if (wait(node, [&] { return (answer = node.take_answer(request)).has_value(); })) {
    return std::move(*answer);
  }
  return {.status = GANTRY_DEVICE_LOST, .message = node.why_lost(), .values = {}};
}

void Job::say_that_it_is_there() {
  for (const auto& node : nodes_) {
    node->put(0, [&](std::vector<std::byte>& out) { Record(out, Kind::kAlive, 0).put(patience_); });
  }
}

void Job::look_for_silence(std::uint64_t now, std::uint64_t& looked) {
  if (now - looked > kSecond / 2) {
    // This process did not run itself.
    for (const auto& node : nodes_) {
      node->set_heard(now);
    }
  }
  looked = now;
  for (const auto& node : nodes_) {
    const std::uint64_t heard = node->heard(); // another thread may hear of it meanwhile
    if (patience_ != 0 && now > heard && now - heard > patience_) {
      node->lose(fmt::format("nothing was heard of it for {} ms: its process was ended or stopped, "
                             "or its machine cannot be reached",
                             patience_ / kMillisecond));
    }
  }
}

void Job::work() {
  std::uint64_t polled = 0;
  bool is_alone = true; // nobody else has polled in the meantime
  std::uint64_t looked = monotonic_now();
  std::uint64_t said = looked;
  while (!is_ending_.load()) {
    const bool moves =
        std::ranges::any_of(nodes_, [](const auto& node) { return node->has_transfers(); });
    const bool is_expected = monotonic_now() < expected_until_.load(std::memory_order_relaxed);
    std::this_thread::sleep_for(std::chrono::nanoseconds(
        is_alone && (moves || is_expected) ? 100 * kMicrosecond : 2 * kMillisecond));
    for (const auto& node : nodes_) {
      node->flush();
    }
    is_alone = polled_.load(std::memory_order_relaxed) == polled;
    if (is_alone) {
      poll();
    }
    polled = polled_.load(std::memory_order_relaxed);
    const std::uint64_t now = monotonic_now();
    if (now - said > saying_of(patience_)) {
      said = now;
      say_that_it_is_there();
      for (const auto& node : nodes_) {
        node->flush();
      }
    }
    look_for_silence(now, looked);
  }
}

} // namespace gantry::mpi
