// `gantry doctor`: whether this machine has what compilers and programs need. It looks, and then
// compiles a program and runs it on each device, because files that are there may not work.

#include "base/installation.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/json_text.h"
#include "cli/runtime_library.h"
#include "cli/subprocess.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace gantry::cli {
namespace {

using Json = nlohmann::ordered_json;

enum class State : unsigned char {
  kGood,
  kAbsent, ///< of no harm to those who do not want it
  kWrong,
};

struct Finding {
  std::string subject;
  State state = State::kGood;
  std::string what;
  std::string remedy = {};
};

/// Prints findings as they are made, or collects them for programs.
class Findings {
public:
  explicit Findings(bool json) : json_(json) {}

  void add(const Finding& finding) {
    constexpr const char* kNames[] = {"ok", "absent", "WRONG"};
    const char* const state = kNames[static_cast<std::size_t>(finding.state)];
    any_wrong_ |= finding.state == State::kWrong;
    if (json_) {
      list_.push_back({{"subject", finding.subject},
                       {"state", finding.state == State::kWrong ? "wrong" : state},
                       {"what", finding.what},
                       {"remedy", finding.remedy}});
      return;
    }
    fmt::print("  {:<20} {:<7} {}\n", finding.subject, state, printable(finding.what));
    if (!finding.remedy.empty()) {
      fmt::print("  {:<28} {}\n", "", printable(finding.remedy));
    }
    std::fflush(stdout); // the next one may take seconds
  }

  /// The exit status.
  int end() const {
    if (json_) {
      fmt::print("{}", json_text(Json{{"findings", list_}}));
    } else {
      fmt::print("{}\n",
                 any_wrong_ ? "Something is wrong: see above." : "Everything that is here works.");
    }
    return any_wrong_ ? 1 : 0;
  }

private:
  bool json_;
  bool any_wrong_ = false;
  Json list_ = Json::array();
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// A compiler that Gantry uses, and what it needs beside itself.
struct Compiler {
  const char* subject;
  const char* program;
  const char* needed; ///< below the installation; null for nothing
  const char* packages;
  const char* packages_of_needed;
};

constexpr Compiler kCompilers[] = {
    {"Clang 22", GANTRY_CLANGXX_22, "lib/gantry/clang/libgantry-passes-22.so", "clang-22 lld-22",
     "llvm-22-dev libclang-22-dev"},
    {"Clang 19", GANTRY_CLANGXX_19, "lib/gantry/clang/libgantry-passes-19.so", "clang-19",
     "llvm-19-dev libclang-19-dev"},
    {"Flang 22", GANTRY_FLANG_22, "lib/gantry/gantry-device-flang.bc", "flang-22", "clang-22"},
    {"GCC 12", GANTRY_GXX, nullptr, "gcc-12 g++-12", nullptr},
    {"GCC 12, Fortran", GANTRY_GFORTRAN, nullptr, "gfortran-12", nullptr},
};

Finding look_at(const Compiler& compiler, const std::filesystem::path& root,
                const HeldSignals& signals) {
  if (access(compiler.program, X_OK) != 0) {
    return {compiler.subject, State::kAbsent,
            fmt::format("cannot run '{}': {}", compiler.program, std::strerror(errno)),
            fmt::format("to have it: apt-get install {}", compiler.packages)};
  }
  const Result<Ended> version =
      run_to_the_end({compiler.program, "--version"}, {}, std::chrono::seconds(60), signals);
  if (!version || version->status != 0) {
    return {compiler.subject, State::kWrong,
            version ? first_line(version->output) : version.error().message,
            fmt::format("apt-get install --reinstall {}", compiler.packages)};
  }
  if (compiler.needed != nullptr && !std::filesystem::exists(root / compiler.needed)) {
    return {
        compiler.subject, State::kAbsent,
        fmt::format("{}, but Gantry was built without its headers", first_line(version->output)),
        fmt::format("to use it: apt-get install {}, and build Gantry again",
                    compiler.packages_of_needed)};
  }
  return {compiler.subject, State::kGood, first_line(version->output)};
}

Finding look_at_gcc_for_gpus(std::string_view vendor, std::string_view folder,
                             std::string_view package, const HeldSignals& signals) {
  const std::string subject = fmt::format("GCC 12 for {}", vendor);
  const Result<Ended> found =
      run_to_the_end({GANTRY_GXX, fmt::format("-print-prog-name=accel/{}/mkoffload", folder)}, {},
                     std::chrono::seconds(60), signals);
  // The name alone is the answer where it is not to be found.
  if (!found || !found->output.starts_with('/')) {
    return {subject, State::kAbsent, fmt::format("GCC cannot compile for {}'s GPUs", vendor),
            fmt::format("to have it: apt-get install {}", package)};
  }
  return {subject, State::kGood, first_line(found->output)};
}

Finding look_at_openmp(const std::filesystem::path& root) {
  const std::filesystem::path library = root / "lib/gantry/host/libomp.so";
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(library, error);
  if (error) {
    return {"libomp", State::kWrong, fmt::format("'{}': {}", library.string(), error.message()),
            "apt-get install libomp-22-dev; if it is there, build Gantry again"};
  }
  return {"libomp", State::kGood, file.string()};
}

/// Adds two vectors on each device, and says on how many it came out right.
constexpr const char* kProgram = R"(#include <omp.h>
#include <stdio.h>
int main(void) {
  int right = 0;
  const int devices = omp_get_num_devices();
  for (int device = 0; device < devices; ++device) {
    int on_host = 1, wrong = 0;
    double x[1000], y[1000];
    for (int i = 0; i < 1000; ++i) {
      x[i] = i;
      y[i] = 1;
    }
#pragma omp target data device(device) map(to : x) map(tofrom : y)
    {
#pragma omp target device(device) map(from : on_host)
      on_host = omp_is_initial_device();
#pragma omp target teams distribute parallel for device(device)
      for (int i = 0; i < 1000; ++i)
        y[i] += 2 * x[i];
    }
    for (int i = 0; i < 1000; ++i)
      wrong |= y[i] != 1 + 2.0 * i;
    right += !on_host && !wrong;
  }
  printf("%d of %d\n", right, devices);
  return right == 0 || right != devices;
}
)";

/// A folder for the trial, which goes with this object.
class TrialFolder {
public:
  TrialFolder() {
    std::string name = parent() + "/gantry-doctor-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) {
      path_ = name;
      std::ofstream(path_ / "trial.c") << kProgram;
    }
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;
  ~TrialFolder() {
    std::error_code error;
    if (!path_.empty()) {
      std::filesystem::remove_all(path_, error);
    }
  }
  /// Where it is made.
  [[nodiscard]] static std::string parent() {
    const char* const chosen = std::getenv("TMPDIR");
    return chosen == nullptr || *chosen == '\0' ? "/tmp" : chosen;
  }
  /// Empty if it could not be made.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// A kind of device, as the runtime shows it.
struct Kind {
  std::string name;
  std::string description; ///< of the first one; empty if there is none
  std::string reason;      ///< why it cannot be used, or nothing
};

/// Options of `gantry clang` for programs of a kind of device.
std::vector<std::string> target_of(const Kind& of) {
  constexpr std::string_view kForeign = "worker-";
  const std::string_view kind = of.name;
  if (kind == "cuda" || kind == "simt") {
    return {"--offload-arch=sm_70"};
  }
  if (kind == "hsa" || kind == "simt-amd") {
    // Their descriptions begin with the processor and its features.
    return {fmt::format("--offload-arch={}",
                        of.description.substr(0, of.description.find_first_of(",:")))};
  }
  if (kind.starts_with(kForeign)) {
    return {fmt::format("-fopenmp-targets={}-linux-gnu", kind.substr(kForeign.size()))};
  }
  return {};
}

/// The environment of a trial: without the variables that steer runtimes or change what they print,
/// but with those that say where files are.
std::vector<std::pair<std::string, std::string>> environment_of_trial(const std::string& kind) {
  std::vector<std::pair<std::string, std::string>> changes;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view whole = *variable;
    const std::string_view name = whole.substr(0, whole.find('='));
    const bool steers =
        std::ranges::any_of(std::array{"GANTRY_", "OMP_", "LIBOMPTARGET_", "KMP_", "GOMP_"},
                            [&](const char* prefix) { return name.starts_with(prefix); });
    if (steers && name != "GANTRY_SIMT_CACHE") {
      changes.emplace_back(name, "");
    }
  }
  std::erase_if(changes, [](const auto& change) {
    return change.first == "GANTRY_DEVICES" || change.first == "OMP_TARGET_OFFLOAD";
  });
  changes.emplace_back("GANTRY_DEVICES", kind);
  changes.emplace_back("OMP_TARGET_OFFLOAD", "MANDATORY");
  return changes;
}

Finding try_device(const Kind& tried, const std::filesystem::path& root,
                   const std::filesystem::path& folder, const HeldSignals& signals) {
  constexpr std::chrono::seconds kLongestTrial(120);
  const std::string& kind = tried.name;
  const std::string program = (folder / kind).string();
  std::vector<std::string> compile = {(root / "bin/gantry").string(), "clang", "-O1",
                                      (folder / "trial.c").string(),  "-o",    program};
  std::ranges::copy(target_of(tried), std::back_inserter(compile));
  Result<Ended> ended = run_to_the_end(compile, {}, kLongestTrial, signals);
  if (!ended || ended->status != 0) {
    return {kind, State::kWrong, "a program for it cannot be compiled",
            ended ? first_line(ended->output) : ended.error().message};
  }
  ended = run_to_the_end({program}, environment_of_trial(kind), kLongestTrial, signals);
  if (!ended || ended->status != 0) {
    return {kind, State::kWrong, "a program did not run as it should",
            ended ? fmt::format("exit status {}: {}", ended->status, first_line(ended->output))
                  : ended.error().message};
  }
  return {kind, State::kGood,
          fmt::format("a program ran right on {} device(s)", first_line(ended->output))};
}

std::vector<Kind> kinds_of(const RuntimeLibrary& library) {
  std::vector<Kind> kinds;
  library.visit_devices(
      [](const gantry_device_offer* offer, void* list) {
        static_cast<decltype(kinds)*>(list)->push_back(
            {.name = offer->name,
             .description = offer->description,
             .reason = offer->reason == nullptr ? "" : offer->reason});
      },
      &kinds);
  return kinds;
}

/// Reports variables whose names are nearly those that programs read, because they silently have no
/// effect.
void look_at_environment(const RuntimeLibrary& library, Findings& findings) {
  std::vector<std::string_view> known;
  visit_environment(
      library,
      [](const gantry_environment_variable* variable, void* list) {
        static_cast<decltype(known)*>(list)->emplace_back(variable->name);
      },
      &known);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view whole = *variable;
    const std::string_view name = whole.substr(0, whole.find('='));
    if (!name.starts_with("GANTRY_") || std::ranges::find(known, name) != known.end()) {
      continue;
    }
    if (const std::string_view meant = nearest(name, known); !meant.empty()) {
      findings.add({"environment", State::kWrong,
                    fmt::format("'{}' is set, and nothing reads it", name),
                    fmt::format("did you mean '{}'? `gantry env` lists them", meant)});
    }
  }
}

/// Checks GANTRY_DEVICES, because programs end with an error where it names a device that does not
/// exist.
void look_at_chosen_devices(const RuntimeLibrary& library, Findings& findings) {
  const char* const chosen = std::getenv("GANTRY_DEVICES");
  std::string_view rest = chosen == nullptr ? "" : chosen;
  const auto kinds = kinds_of(library);
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::string_view name = item.substr(0, item.find_first_of(":+"));
    if (name != "auto" && std::ranges::find(kinds, name, &Kind::name) == kinds.end()) {
      findings.add({"environment", State::kWrong,
                    fmt::format("GANTRY_DEVICES has '{}', which is no kind of device", name),
                    "`gantry devices` lists them"});
    }
  }
}

void look_at_devices(const RuntimeLibrary& library, const std::filesystem::path& root,
                     bool can_compile, const HeldSignals& signals, Findings& findings) {
  const TrialFolder folder;
  if (folder.path().empty()) {
    findings.add({"temporary files", State::kWrong,
                  fmt::format("no folder can be made in '{}'", TrialFolder::parent()),
                  "set TMPDIR to a folder that you may write to"});
    return;
  }
  const auto kinds = kinds_of(library);
  for (const Kind& kind : kinds) {
    if (signals.any()) {
      return;
    }
    if (!kind.reason.empty()) {
      findings.add({kind.name, State::kAbsent, kind.reason});
    } else if (kind.name == "mpi") {
      findings.add({kind.name, State::kGood,
                    fmt::format("there is {}; not tried, because one program of a job can use its "
                                "nodes, and it is this one",
                                kind.description)});
    } else if (!can_compile) {
      findings.add({kind.name, State::kAbsent, "not tried: no program can be compiled, see above"});
    } else {
      const Finding finding = try_device(kind, root, folder.path(), signals);
      if (signals.any()) {
        return;
      }
      findings.add(finding);
    }
  }
  // Reports missing plugins, which nothing else does.
  constexpr std::array<std::pair<const char*, const char*>, 5> kOwn = {{{"cuda", "gantry"},
                                                                        {"hsa", "gantry"},
                                                                        {"simt", "gantry-simt"},
                                                                        {"simt-amd", "gantry-simt"},
                                                                        {"worker", "gantry"}}};
  for (const auto& [own, package] : kOwn) {
    if (std::ranges::find(kinds, own, &Kind::name) == kinds.end()) {
      findings.add({own, State::kAbsent, "its plugin is not installed",
                    fmt::format("to have it: apt-get install {}, or build Gantry again", package)});
    }
  }
}

} // namespace

Result<int> run_doctor(int argc, char** argv) {
  bool json = false;
  CLI::App app(
      "Looks for what compilers and programs need on this machine, compiles a program and\n"
      "runs it on every device, and says what to install. Exit status 1 if something that\n"
      "is here does not work.",
      "gantry doctor");
  app.add_flag("--json", json, "Print JSON for programs to read");
  app.footer("Examples:\n"
             "  gantry doctor                what works here, and what to install for the rest");
  if (const std::optional<int> status = parse(app, argc, argv)) {
    return *status;
  }
  const std::filesystem::path root = GANTRY_TRY(find_installation());
  const HeldSignals signals; // the trial's folder goes in any case
  Findings findings(json);
  bool can_compile = false; // with the first, which the trial is compiled with
  for (const Compiler& compiler : kCompilers) {
    const Finding finding = look_at(compiler, root, signals);
    can_compile |= &compiler == kCompilers && finding.state == State::kGood;
    findings.add(finding);
  }
  findings.add(look_at_gcc_for_gpus("NVIDIA", "nvptx-none", "gcc-12-offload-nvptx", signals));
  findings.add(look_at_gcc_for_gpus("AMD", "amdgcn-amdhsa", "gcc-12-offload-amdgcn", signals));
  const Finding openmp = look_at_openmp(root);
  can_compile &= openmp.state == State::kGood;
  findings.add(openmp);
  if (const auto library = load_runtime_library()) {
    look_at_devices(*library, root, can_compile, signals, findings);
    look_at_chosen_devices(*library, findings);
    look_at_environment(*library, findings);
  } else {
    findings.add(
        {"libgantry", State::kWrong, library.error().message, "install or build Gantry again"});
  }
  return signals.any() ? 1 : findings.end();
}

} // namespace gantry::cli
