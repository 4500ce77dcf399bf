// `gantry replay`: runs the kernel of a recording again, and compares what comes of it.

#include "base/mapped_file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/json_text.h"
#include "cli/replay/differences.h"
#include "cli/replay/replay_child.h"
#include "cli/replay/replayed_launch.h"
#include "cli/runtime_library.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <new>
#include <numeric>
#include <unistd.h>

namespace gantry::cli {
namespace {

using Json = nlohmann::ordered_json;
using recording::Recording;

struct ReplayRequest {
  std::string file;
  std::string device;
  std::string options;
  std::string check;
  std::string image_file;
  ReplayChanges changes;
  int times = 1;
  bool only_show = false;
  bool debugger = false;
  bool in_process = false;
  bool json = false;
};

constexpr std::size_t kShownDifferences = 10;

/// "1 block", "2 blocks".
std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::uint64_t bytes_of(const std::vector<recording::Extent>& extents) {
  return std::accumulate(
      extents.begin(), extents.end(), std::uint64_t{0},
      [](std::uint64_t sum, const auto& each) { return sum + each.bytes.size(); });
}

void show_recording(const Recording& recording) {
  const recording::Launch& launch = recording.launch;
  fmt::print("kernel    {}\n", recording.kernel);
  if (!recording.construct.empty()) {
    fmt::print("region    {}\n", recording.construct);
  }
  fmt::print("program   {}, on {}\n", recording.program, recording.plugin);
  fmt::print("launch    {} teams, {} threads, {} iterations (0: not said)\n", launch.num_teams[0],
             launch.thread_limit[0], launch.trip_count);
  fmt::print("images    {}\n", recording.images.size());
  fmt::print("memory    {}, {} of them not zero, {} changed by the kernel\n",
             counted(recording.blocks.size(), "block"), counted(bytes_of(recording.before), "byte"),
             counted(bytes_of(recording.after), "byte"));
  for (const recording::Block& block : recording.blocks) {
    fmt::print("          {:#x} {:>12} {}\n", block.address, block.size, block.name);
  }
  for (const recording::Variable& variable : recording.variables) {
    fmt::print("          declare target {:>5} {}\n", variable.size, variable.name);
  }
  fmt::print("outcome   {}\n",
             recording.failure.empty() ? "done" : std::string(printable(recording.failure)));
}

/// The environment has to be as it is wanted before the plugin reads it.
void set_environment(const ReplayRequest& request, std::uint64_t arena) {
  if (!request.check.empty()) {
    setenv("GANTRY_SIMT_CHECK", request.check.c_str(), 1);
  }
  if (arena != 0) {
    setenv("GANTRY_SIMT_ARENA", fmt::format("{:#x}", arena).c_str(), 1);
  }
}

/// Options of the device, which place its memory where that was, and no more than is needed: what
/// is placed at random in this process may be near.
std::string options_of(const ReplayRequest& request, const Recording& recording) {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kRoom = 16 << 20;
  std::string options = request.options;
  if (request.device == "worker" && !recording.blocks.empty()) {
    const recording::Block& last = recording.blocks.back();
    const std::uint64_t page = recording.blocks.front().address / kPage;
    options += fmt::format("{}at={}+memory={}", options.empty() ? "" : "+", page,
                           last.address + last.size - page * kPage + kRoom);
  }
  return options;
}

/// Takes this process's place: the same command, where the kernel runs in gdb's process.
Result<int> run_in_debugger(const ReplayRequest& request, const Recording& recording) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string breakpoint = fmt::format("break {}", recording.kernel);
  std::vector<std::string> words = {
      "/usr/bin/gdb", "-q",       "-ex",         "set breakpoint pending on",
      "-ex",          breakpoint, "-ex",         "run",
      "--args",       self,       "replay",      request.file,
      "--device",     "cpu",      "--in-process"};
  if (request.changes.teams != 0) {
    words.insert(words.end(), {"--teams", std::to_string(request.changes.teams)});
  }
  if (request.changes.threads != 0) {
    words.insert(words.end(), {"--threads", std::to_string(request.changes.threads)});
  }
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  return fail("{} cannot be started: {}; it is in Debian's package gdb", arguments[0],
              std::strerror(errno));
}

/// One replay in words, and as JSON. Whether it came to what was recorded.
bool tell(const Recording& recording, const ReplayResult& result, const ReplayRequest& request,
          const std::function<void(Json)>& add_row) {
  Json row = {{"milliseconds", static_cast<double>(result.nanoseconds) / 1e6}};
  const auto say = [&](std::string_view text) {
    if (!request.json) {
      fmt::print("{}\n", printable(text));
    }
  };
  bool same = false;
  if (!result.failure.empty()) {
    same = !recording.failure.empty();
    row["failure"] = result.failure;
    say(fmt::format("the kernel failed{}: {}", same ? ", as it did when it was recorded" : "",
                    result.failure));
  } else if (!recording.failure.empty()) {
    say(fmt::format("the kernel is done, and failed when it was recorded: {}", recording.failure));
  } else {
    const Differences differences = find_differences(recording, result, kShownDifferences);
    same = differences.words == 0;
    row["words"] = differences.of;
    row["different"] = differences.words;
    if (same) {
      say(fmt::format("the results are those that were recorded: {} of 4 bytes, in {:.3f} ms",
                      counted(differences.of, "word"),
                      static_cast<double>(result.nanoseconds) / 1e6));
    } else {
      say(fmt::format("{} of {} words of 4 bytes are other than recorded", differences.words,
                      differences.of));
      for (const std::string& line : differences.first) {
        say("  " + line);
      }
      row["first"] = differences.first;
    }
  }
  row["same"] = same;
  add_row(std::move(row));
  return same;
}

/// What device code prints goes to stderr while this is there: stdout is for the report.
class OutputAside {
public:
  explicit OutputAside(bool wanted)
      : own_(wanted ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1) {
    if (own_ >= 0) {
      dup2(STDERR_FILENO, STDOUT_FILENO);
    }
  }
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;
  ~OutputAside() {
    if (own_ >= 0) {
      std::fflush(stdout);
      dup2(own_, STDOUT_FILENO);
      close(own_);
    }
  }

private:
  int own_;
};

/// Runs the kernel in this process. Whether all came to what was recorded.
Result<bool> replay_here(const ReplayRequest& request, const Recording& recording,
                         const ReplayReports& reports) try {
  const OutputAside aside(request.json);
  const std::uint64_t arena = arena_of(recording);
  set_environment(request, arena);
  const auto library = GANTRY_TRY(load_runtime_library());
  const char* reason = nullptr;
  const gantry_plugin* const plugin = library.find_plugin(request.device.c_str(), &reason);
  if (plugin == nullptr) {
    return fail("{}", reason);
  }
  const std::string options = options_of(request, recording);
  const auto launch =
      GANTRY_TRY(ReplayedLaunch::open(*plugin, options, recording, request.image_file));
  reports.ready();
  bool same = true;
  for (int i = 0; i < request.times; ++i) {
    const ReplayResult result = GANTRY_TRY(launch->run(request.changes));
    same = tell(recording, result, request, reports.run) && same;
    if (!result.failure.empty()) {
      break;
    }
  }
  return same;
} catch (const std::bad_alloc&) {
  return fail("'{}' has more memory than this machine", request.file);
}

/// Whether all came to what was recorded. `rows` gets one for each time.
Result<bool> replay(const ReplayRequest& request, const Recording& recording, Json& rows) {
  const auto add_row = [&](Json row) { rows.push_back(std::move(row)); };
  const auto work = [&](const ReplayReports& reports) {
    return replay_here(request, recording, reports);
  };
  if (request.device != "cpu" || request.in_process) {
    return work({[] {}, add_row});
  }
  const ChildEnd end = GANTRY_TRY(replay_in_child(work, add_row));
  if (end.failure.empty()) {
    return end.same;
  }
  ReplayResult result;
  result.failure = end.failure;
  return tell(recording, result, request, add_row);
}

} // namespace

Result<int> run_replay(int argc, char** argv) {
  ReplayRequest request;
  CLI::App app("Runs the kernel of a recording again, with the memory that it had, and compares\n"
               "what comes of it. Exits with 0 if that is what was recorded, a failure included,\n"
               "and with 1 otherwise.",
               "gantry replay");
  app.add_option("FILE", request.file, "What `gantry record` has written")->required();
  app.add_option("--device", request.device,
                 "The kind of device: worker, simt, or cpu, which is a child of this process;\n"
                 "unset: that of the recording");
  app.add_option("--options", request.options, "Options of the device, separated by '+'");
  app.add_option("--check", request.check,
                 "On simt: what to look for, of memory, race, init, sync, all");
  app.add_option("--teams", request.changes.teams, "Another number of teams");
  app.add_option("--threads", request.changes.threads, "Another number of threads of a team");
  app.add_option("--times", request.times, "How often to run it (1)")->check(from(1));
  app.add_option("--save-image", request.image_file, "A file for a copy of the image");
  app.add_flag("--show", request.only_show, "Say what is in the file, and run nothing");
  app.add_flag("--gdb", request.debugger,
               "Run it on cpu under gdb, which stops where the kernel begins");
  app.add_flag("--in-process", request.in_process,
               "On cpu: run it in this very process, for a debugger that has started it");
  app.add_flag("--json", request.json, "Print JSON for programs to read");
  app.footer("Examples:\n"
             "  gantry replay app.1234.recording\n"
             "  gantry replay bug.recording --check race\n"
             "  gantry replay app.1234.recording --teams 1 --threads 1");
  if (const std::optional<int> status = parse(app, argc, argv)) {
    return *status;
  }
  const auto file = GANTRY_TRY(MappedFile::open(request.file));
  const Recording recording =
      GANTRY_TRY_CONTEXT(recording::decode(file.bytes()), "'" + request.file + "'");
  if (request.only_show) {
    show_recording(recording);
    return 0;
  }
  if (request.debugger) {
    return run_in_debugger(request, recording);
  }
  if (request.device.empty()) {
    request.device = recording.plugin;
  }
  if (!request.check.empty() && !request.device.starts_with("simt")) {
    return fail("--check is of the executors: choose --device simt or simt-amd, not '{}'",
                request.device);
  }
  Json rows = Json::array();
  const bool same = GANTRY_TRY(replay(request, recording, rows));
  if (request.json) {
    fmt::print("{}", json_text(Json{{"kernel", recording.kernel},
                                    {"construct", recording.construct},
                                    {"device", request.device},
                                    {"recorded_failure", recording.failure},
                                    {"same", same},
                                    {"runs", rows}}));
  }
  return same ? 0 : 1;
}

} // namespace gantry::cli
