// `gantry mpirun`: a program with the nodes whose devices it uses, as one job of MPI's: writes the
// line of the launcher that is there (Open MPI's, MPICH's, Slurm's), and runs it.

#include "base/guarded_status.h"
#include "base/installation.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/program_command.h"
#include "cli/subprocess.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::cli {
namespace {

using Words = std::vector<std::string>;

/// What the program's status comes behind, on stderr.
constexpr std::string_view kWord = "gantry-mpirun: the program's status is";

enum class Mpi : std::uint8_t { kOpenMpi, kMpich, kSlurm };

struct Launcher {
  Mpi mpi = Mpi::kOpenMpi;
  std::string path;
};

struct JobOptions {
  std::uint32_t processes = 2;
  std::uint32_t ranks = 0; ///< of a program that uses MPI itself; 0: it does not
  std::string mpi;
  std::string devices;
  std::string hosts;
  std::string hostfile;
  std::string launcher_options;
  bool print = false;
};

/// Empty if the program is not there.
std::string on_path(const std::string& program) {
  const std::filesystem::path found = found_program(program);
  return found == program ? "" : found.string();
}

/// Whose launcher a program is, by what it says of itself.
std::optional<Mpi> mpi_of(const std::string& launcher) {
  const HeldSignals signals;
  const auto said = run_to_the_end({launcher, "--version"}, {}, std::chrono::seconds(10), signals);
  if (!said) {
    return std::nullopt;
  }
  return said->output.find("Open MPI") != std::string::npos ? std::optional(Mpi::kOpenMpi)
         : said->output.find("HYDRA") != std::string::npos  ? std::optional(Mpi::kMpich)
                                                            : std::nullopt;
}

/// The first of these programs that is there and is that MPI's.
std::optional<Launcher> find_launcher(std::optional<Mpi> wanted,
                                      std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (const std::string path = on_path(name); !path.empty()) {
      if (const auto mpi = mpi_of(path); mpi && (!wanted || mpi == wanted)) {
        return Launcher{*mpi, path};
      }
    }
  }
  return std::nullopt;
}

Result<Launcher> choose_launcher(const std::string& mpi) {
  const std::string srun = on_path("srun");
  if (mpi == "slurm" || (mpi.empty() && std::getenv("SLURM_JOB_ID") != nullptr && !srun.empty())) {
    return srun.empty() ? fail("there is no srun, Slurm's launcher, on PATH")
                        : Result<Launcher>(Launcher{Mpi::kSlurm, srun});
  }
  std::optional<Launcher> found;
  if (mpi.empty()) {
    found = find_launcher(std::nullopt, {"mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.hydra"});
  } else if (mpi == "openmpi") {
    found = find_launcher(Mpi::kOpenMpi, {"mpirun", "mpiexec", "mpirun.openmpi"});
  } else {
    found = find_launcher(Mpi::kMpich, {"mpiexec.hydra", "mpirun", "mpiexec", "mpiexec.mpich"});
  }
  if (!found) {
    return fail("there is no launcher of {} on PATH; install one (Debian's packages openmpi-bin "
                "and mpich)",
                mpi.empty()        ? "Open MPI or MPICH"
                : mpi == "openmpi" ? "Open MPI"
                                   : "MPICH");
  }
  return *found;
}

Words split_words(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) {
      words.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(end);
  }
  return words;
}

void append_words(Words& words, std::initializer_list<std::string_view> more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// Open MPI's processes have of the environment what is named, where they are on other machines.
void export_variables(Words& words) {
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with("GANTRY_") || text.starts_with("_GANTRY_") || text.starts_with("OMP_")) {
      append_words(words, {"-x", text.substr(0, text.find('='))});
    }
  }
}

/// Up to the launcher's own options.
Words begin_line(const Launcher& launcher, const JobOptions& options) {
  const bool is_open = launcher.mpi == Mpi::kOpenMpi;
  const bool is_here = options.hosts.empty() && options.hostfile.empty() &&
                       std::getenv("SLURM_JOB_ID") == nullptr &&
                       std::getenv("PBS_JOBID") == nullptr;
  Words line = {launcher.path};
  if (is_open) {
    if (options.ranks == 0) {
      append_words(line, {"--enable-recovery"}); // a node that is gone is not the end of the job
    }
    append_words(line, {"--bind-to", "none"}); // each has all of its machine's processors
    if (is_here) {
      append_words(line, {"--oversubscribe"});
    }
    export_variables(line);
  }
  if (!options.hosts.empty()) {
    append_words(line, {is_open ? "--host" : "-hosts", options.hosts});
  }
  if (!options.hostfile.empty()) {
    append_words(line, {is_open ? "--hostfile" : "-f", options.hostfile});
  }
  const Words own = split_words(options.launcher_options);
  line.insert(line.end(), own.begin(), own.end());
  return line;
}

Words line_of_mpi(const Launcher& launcher, const JobOptions& options, const Words& program,
                  const std::string& node) {
  Words line = begin_line(launcher, options);
  append_words(line, {"-n", "1"});
  if (!options.print) {
    // With recovery Open MPI's launcher does not say how the program has ended.
    append_words(line, {node, "--program", kWord});
  }
  line.insert(line.end(), program.begin(), program.end());
  append_words(line, {":", "-n", std::to_string(options.processes - 1), node});
  return line;
}

/// Of a program that uses MPI itself: each of its processes starts a job for its nodes.
Words line_of_ranks(const Launcher& launcher, const JobOptions& options, const Words& program) {
  Words line = begin_line(launcher, options);
  append_words(line, {"-n", std::to_string(options.ranks)});
  line.insert(line.end(), program.begin(), program.end());
  return line;
}

/// Slurm reads what is to be run from a file: this one is in memory.
Result<Words> line_of_slurm(const Launcher& launcher, const JobOptions& options,
                            const Words& program, const std::string& node) {
  std::string text = "0";
  for (const std::string& word : program) {
    if (word.find_first_of(" \t\n\"'%\\") != std::string::npos) {
      return fail("the word '{}' cannot be handed over by srun --multi-prog; put the command into "
                  "a script",
                  word);
    }
    text += " " + word;
  }
  const std::string last = std::to_string(options.processes - 1);
  text += fmt::format("\n1{} {}\n", options.processes > 2 ? "-" + last : "", node);
  const int file = memfd_create("gantry-mpirun", 0);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return fail("a file in memory cannot be had: {}", std::strerror(errno));
  }
  Words line = {launcher.path, "-n", std::to_string(options.processes), "--kill-on-bad-exit=0"};
  if (!options.hosts.empty()) {
    append_words(line, {"--nodelist", options.hosts});
  }
  const Words own = split_words(options.launcher_options);
  line.insert(line.end(), own.begin(), own.end());
  append_words(line, {"--multi-prog", fmt::format("/proc/{}/fd/{}", getpid(), file)});
  return line;
}

/// As a shell reads it.
std::string quoted(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + "'";
}

/// What the job has said on stderr.
struct Said {
  std::string of_node;               ///< the last error of a node's that the job may have ended for
  std::optional<int> program_status; ///< behind kWord
  bool was_asked = false;            ///< the program, to end
};

volatile pid_t launched_job = 0;
volatile std::sig_atomic_t asked_by = 0; ///< the signal by which this process is to end

/// Hands it on to this process's stderr, line by line. A launcher that does not end behind the
/// program is ended: nodes wait for MPI to start, in a program that has not started it.
Said hand_on(int from) {
  constexpr int kGrace = 5'000;         // ms
  constexpr int kGraceOfFailed = 2'000; // it may not have told its nodes that it ends
  constexpr std::string_view kOfNode = "gantry-node: error: ";
  Said said;
  std::string text;
  std::array<char, 4096> buffer = {};
  for (int signal = SIGTERM;;) {
    pollfd watched = {.fd = from, .events = POLLIN, .revents = 0};
    const bool has_failed = said.program_status.value_or(0) != 0 && signal == SIGTERM;
    const int grace = has_failed ? kGraceOfFailed : kGrace;
    if (poll(&watched, 1, said.program_status ? grace : -1) == 0) {
      kill(launched_job, std::exchange(signal, SIGKILL));
      continue;
    }
    const ssize_t count = read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      std::fwrite(text.data(), 1, text.size(), stderr);
      return said;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      const std::string line = text.substr(0, end + 1);
      text.erase(0, end + 1);
      // In front of it there may be what the program has said without an end of line.
      if (const std::size_t word = line.find(kWord); word != std::string::npos) {
        said.program_status =
            static_cast<int>(std::strtol(line.c_str() + word + kWord.size(), nullptr, 10));
        said.was_asked = line.find(kAsked, word) != std::string::npos;
        std::fwrite(line.data(), 1, word, stderr);
        continue;
      }
      if (const std::size_t begin = line.find(kOfNode);
          begin != std::string::npos && (!said.program_status || said.was_asked)) {
        said.of_node =
            line.substr(begin + kOfNode.size(), line.size() - begin - kOfNode.size() - 1);
      }
      std::fwrite(line.data(), 1, line.size(), stderr);
    }
  }
}

/// `tells_status`: the line has kWord in it, so that a job without the program's status is one
/// whose program has not come to its end. `ends_with_node`: the launcher ends the job when
/// a node has ended.
Result<int> run_job(Words line, bool tells_status, bool ends_with_node) {
  std::vector<char*> words;
  for (std::string& word : line) {
    words.push_back(word.data());
  }
  words.push_back(nullptr);
  std::array<int, 2> ends = {};
  if (pipe(ends.data()) != 0) {
    return fail("a pipe cannot be had: {}", std::strerror(errno));
  }
  launched_job = fork();
  if (launched_job < 0) {
    return fail("the launcher cannot be started: {}", std::strerror(errno));
  }
  if (launched_job == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(words[0], words.data());
    _exit(127);
  }
  close(ends[1]);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    std::signal(signal, [](int same) {
      asked_by = same == SIGUSR1 || same == SIGUSR2 ? static_cast<int>(asked_by) : same;
      kill(launched_job, same);
    });
  }
  const Said said = hand_on(ends[0]);
  int status = 0;
  while (waitpid(launched_job, &status, 0) < 0 && errno == EINTR) {
  }
  const int of_launcher = WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
  const int code = said.program_status ? *said.program_status
                   : asked_by != 0     ? kSignalled + asked_by
                   : of_launcher != 0  ? of_launcher
                                       : static_cast<int>(tells_status);
  if (code == 0 || asked_by != 0) {
    return code;
  }
  // For a node's end there may be a status too: that of a program which was ended with the job.
  if (!said.of_node.empty() && (!said.program_status || said.was_asked || ends_with_node)) {
    report({fmt::format("the job has ended with status {}: {}", code, said.of_node)});
  } else if (!said.program_status && WIFSIGNALED(status)) {
    report({fmt::format("the launcher was ended by signal {} ({})", WTERMSIG(status),
                        strsignal(WTERMSIG(status)))});
  } else if (!said.program_status && tells_status) {
    report({fmt::format("the job has ended with status {}, and the program has not come to its "
                        "end; the launcher says above which process is gone",
                        code)});
  }
  return code;
}

} // namespace

Result<int> run_mpirun(int argc, char** argv) {
  JobOptions options;
  CLI::App app(
      "Runs a program in a job of MPI's, with nodes whose devices it uses, by the launcher\n"
      "that is there: Open MPI's, MPICH's or Slurm's.",
      "gantry mpirun");
  app.add_option("-n,--processes", options.processes,
                 "The processes of the job: the program, and nodes [2]")
      ->check(from(2));
  app.add_option(
         "--ranks", options.ranks,
         "The program uses MPI itself, in so many processes: -n counts them and their nodes")
      ->check(from(1));
  app.add_option("--devices", options.devices,
                 "GANTRY_DEVICES of the program; mpi[:KIND] are devices of nodes [mpi]");
  app.add_option("--hosts", options.hosts, "Machines, separated by commas");
  app.add_option("--hostfile", options.hostfile, "A file with machines, in the launcher's form");
  app.add_option("--mpi", options.mpi, "Whose launcher: openmpi, mpich, slurm [the one on PATH]")
      ->check(CLI::IsMember({"openmpi", "mpich", "slurm"}));
  app.add_option("--launcher-options", options.launcher_options,
                 "Words for the launcher, separated by spaces");
  app.add_flag("--print", options.print, "Print the launcher's line, and run nothing");
  std::string program_word; // for --help: it is split off before
  app.add_option("PROGRAM [ARGUMENT…]", program_word,
                 "The program; all behind it are its arguments");
  app.footer(
      "Examples:\n"
      "  gantry mpirun -n 4 ./app                 with three nodes, of this machine\n"
      "  gantry mpirun -n 3 --hosts a,b,c ./app   the program on a, nodes on b and c\n"
      "  gantry mpirun --devices mpi:cuda ./app   only the nodes' GPUs\n"
      "  gantry mpirun --ranks 2 -n 6 ./app       two processes of ./app, each with two nodes");
  const ProgramCommand command = split_program_command(app, argc, argv);
  if (const std::optional<int> status =
          parse(app, static_cast<int>(command.own.size()), command.own.data())) {
    return *status;
  }
  if (command.program.empty()) {
    return fail("no program is named; `gantry mpirun --help` explains");
  }
  if (options.ranks > 0 &&
      (options.processes <= options.ranks || options.processes % options.ranks != 0)) {
    return fail("-n {} is not a multiple of --ranks {} that leaves nodes for each of them",
                options.processes, options.ranks);
  }
  const Words program(command.program.begin(), command.program.end());
  const std::filesystem::path root = GANTRY_TRY(find_installation());
  const std::string node = (root / "libexec/gantry-node").string();
  if (!options.devices.empty() || std::getenv("GANTRY_DEVICES") == nullptr) {
    setenv("GANTRY_DEVICES", options.devices.empty() ? "mpi" : options.devices.c_str(), 1);
  }
  setenv("_GANTRY_MPI_JOB", options.ranks > 0 ? "ranks" : "nodes", 1);
  const Launcher launcher = GANTRY_TRY(choose_launcher(options.mpi));
  if (options.ranks > 0) {
    if (launcher.mpi == Mpi::kSlurm) {
      return fail("--ranks is for the launchers of Open MPI and MPICH; name one with --mpi");
    }
    setenv("GANTRY_MPI_LAUNCHER", launcher.path.c_str(), 1);
    setenv("GANTRY_MPI_NODES", std::to_string(options.processes / options.ranks - 1).c_str(), 1);
    if (!options.hosts.empty()) {
      setenv("GANTRY_MPI_HOSTS", options.hosts.c_str(), 0);
    }
  }
  const Words line = options.ranks > 0 ? line_of_ranks(launcher, options, program)
                     : launcher.mpi == Mpi::kSlurm
                         ? GANTRY_TRY(line_of_slurm(launcher, options, program, node))
                         : line_of_mpi(launcher, options, program, node);
  if (options.print) {
    for (const char* const name :
         {"GANTRY_DEVICES", "GANTRY_MPI_LAUNCHER", "GANTRY_MPI_NODES", "GANTRY_MPI_HOSTS"}) {
      if (const char* const value = std::getenv(name)) {
        fmt::print("{}={} ", name, quoted(value));
      }
    }
    Words words;
    std::ranges::transform(line, std::back_inserter(words), quoted);
    fmt::print("{}\n", fmt::join(words, " "));
    return 0;
  }
  return run_job(line, launcher.mpi != Mpi::kSlurm && options.ranks == 0,
                 launcher.mpi == Mpi::kMpich);
}

} // namespace gantry::cli
