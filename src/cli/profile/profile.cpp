// `gantry profile`: what a program does on its devices, where its time goes, and what to change.

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/json_text.h"
#include "cli/profile/compare.h"
#include "cli/profile/page.h"
#include "cli/profile/report.h"
#include "cli/profile/run.h"
#include "cli/profile/symbols.h"
#include "cli/profile/trace.h"
#include "cli/program_command.h"

#include <algorithm>
#include <filesystem>

#include <CLI/CLI.hpp>

namespace gantry::cli::profile {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEnding = ".gantry-profile";

struct Options {
  bool data = false;
  bool json = false;
  bool all = false;
  std::uint64_t limit = 0; ///< MiB; 0: the runtime's own
  std::string output;
  std::string trace;
  std::string html;
  std::string read_folder;
  std::vector<std::string> compared;
  std::vector<std::string> command;
};

std::string recording_options(const Options& options) {
  std::string text = options.data ? "data" : "";
  if (options.limit > 0) {
    text += fmt::format("{}limit={}", text.empty() ? "" : ",", options.limit);
  }
  return text;
}

/// The profiles in a folder, in the order in which the processes began. What is none is warned of.
Result<std::vector<ProcessReport>> read_folder(const std::filesystem::path& folder,
                                               bool with_sources, KnownEnd end = {}) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == kEnding) {
      files.push_back(entry.path());
    }
  }
  if (error) {
    return fail("cannot read the folder '{}': {}", folder.string(), error.message());
  }
  const auto here = std::filesystem::current_path(error);
  const Symbolizer symbolizer = installed_symbolizer(error ? std::string() : here.string());
  std::vector<ProcessReport> reports;
  for (const std::filesystem::path& path : files) {
    const auto file = MappedFile::open(path);
    auto read = file ? read_profile(file->bytes(), end)
                     : Result<ProcessProfile>(tl::unexpected(file.error()));
    if (!read) {
      warn("'{}' is left out: {}", path.string(), read.error().message);
      continue;
    }
    ProcessReport report;
    report.profile = std::move(*read);
    name_what_compilers_leave(report.profile, symbolizer);
    if (with_sources) {
      find_sources(report.profile, installed_symbolizer(""));
    }
    merge_equal(report.profile);
    report.summary = summarise(report.profile);
    report.findings = find_wastes(report.profile, report.summary);
    report.ending = report.profile.exited ? "ended" : "ended without exit()";
    reports.push_back(std::move(report));
  }
  std::ranges::sort(reports, {},
                    [](const ProcessReport& report) { return report.profile.time.begin; });
  return reports;
}

/// What was recorded of nothing at all: a sentence.
std::string why_nothing(const Options& options) {
  return options.read_folder.empty()
             ? fmt::format("'{}' has used no Gantry: it registers no device code with it. "
                           "`gantry inspect` shows what a program has, and which library it needs",
                           options.command.front())
             : fmt::format("the folder '{}' has no profile (NUMBER{})", options.read_folder,
                           kEnding);
}

Status write_text(const std::string& text, const std::string& output, std::FILE* otherwise) {
  if (!output.empty()) {
    return write_file(output, as_bytes(text));
  }
  std::fflush(stdout);
  fmt::print(otherwise, "{}", text);
  return {};
}

Status write_trace_file(const std::vector<ProcessReport>& reports, const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             std::fclose);
  if (file == nullptr) {
    return fail("cannot write '{}': {}", path, std::strerror(errno));
  }
  write_trace(reports, [&](std::string_view text) {
    (void)std::fwrite(text.data(), 1, text.size(), file.get());
  });
  if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0) {
    return fail("cannot write '{}': {}", path, std::strerror(errno));
  }
  return {};
}

Status show(const std::vector<ProcessReport>& reports, const Options& options) {
  if (options.json) {
    Json processes = Json::array();
    for (const ProcessReport& report : reports) {
      processes.push_back(json_of(report));
    }
    return write_text(json_text(Json{{"version", 1}, {"processes", processes}}), options.output,
                      stdout);
  }
  std::string text;
  for (const ProcessReport& report : reports) {
    text += (text.empty() ? "" : "\n") + text_of(report, options.all);
  }
  return write_text(text, options.output, stderr);
}

/// Before the program runs, which may take hours.
Status check_outputs(const Options& options) {
  for (const std::string& path : {options.output, options.trace, options.html}) {
    if (!path.empty()) {
      const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ab"),
                                                                 std::fclose);
      if (file == nullptr) {
        return fail("cannot write '{}': {}", path, std::strerror(errno));
      }
    }
  }
  return {};
}

Result<int> run_and_report(const Options& options) {
  GANTRY_TRY(check_outputs(options));
  int status = 0;
  std::vector<ProcessReport> reports;
  if (options.read_folder.empty()) {
    const PrivateFolder folder = GANTRY_TRY(PrivateFolder::make());
    const ProgramEnd end =
        GANTRY_TRY(run_recorded(options.command, {folder.path(), recording_options(options)}));
    status = end.status;
    reports = GANTRY_TRY(read_folder(folder.path(), !options.html.empty(),
                                     {static_cast<std::uint64_t>(end.process), end.time}));
    for (ProcessReport& report : reports) {
      if (report.profile.process == static_cast<std::uint64_t>(end.process)) {
        report.ending = end.ending;
      }
    }
    if (reports.empty()) {
      warn("{} {}; {}", options.command.front(), end.ending, why_nothing(options));
      return status;
    }
  } else {
    reports = GANTRY_TRY(read_folder(options.read_folder, !options.html.empty()));
    if (reports.empty()) {
      return fail("{}", why_nothing(options));
    }
  }
  // The text first: whatever happens to files, that is there.
  GANTRY_TRY(show(reports, options));
  if (!options.trace.empty()) {
    GANTRY_TRY(write_trace_file(reports, options.trace));
  }
  if (!options.html.empty()) {
    GANTRY_TRY(write_file(options.html, as_bytes(page_of({page_run(reports, "")}))));
  }
  return status;
}

Result<int> read_command_line(int argc, char** argv) {
  Options options;
  CLI::App app("Runs a program and reports what it does on its devices: where its time goes, what "
               "it\ncopies, and what to change. Nothing has to be compiled again; compiled with "
               "-g, the\nreport has lines of the source.",
               "gantry profile");
  auto* const data =
      app.add_flag("--data", options.data,
                   "Hash the bytes that are copied, and look for copies of what is there already");
  app.add_flag("--all", options.all, "Show all rows, and not what fits on a screen");
  auto* const json =
      app.add_flag("--json", options.json, "Print JSON for programs to read, on stdout");
  app.add_option("-o,--output", options.output, "Write the report into this file")
      ->option_text("FILE");
  auto* const limit = app.add_option("--limit", options.limit,
                                     "How large the record of a process may grow, in MiB (1024)")
                          ->option_text("MIB")
                          ->check(CLI::Range(1, 1 << 20));
  auto* const trace = app.add_option("--trace", options.trace,
                                     "Write a trace for Perfetto (ui.perfetto.dev) into this file")
                          ->option_text("FILE");
  app.add_option("--html", options.html,
                 "Write a page for a browser into this file: tables, advice, timeline")
      ->option_text("FILE");
  auto* const compare =
      app.add_option("--compare", options.compared,
                     "Run nothing: compare two reports of --json or pages of --html; with --html "
                     "on one page")
          ->option_text("BEFORE AFTER")
          ->expected(2);
  auto* const read = app.add_option("--read", options.read_folder,
                                    "Run nothing: report on what GANTRY_PROFILE=FOLDER has left")
                         ->option_text("FOLDER");
  std::string program; // for --help: the command line is divided before it is read
  app.add_option("PROGRAM", program, "The program; all behind it are its arguments")
      ->option_text("[ARGUMENT…]");
  for (auto* const option : {data, json, limit, trace, read}) {
    compare->excludes(option);
  }
  app.footer("The report goes to stderr behind what the program prints; the exit status is the "
             "program's.\n\nExamples:\n"
             "  gantry profile ./app                     totals, regions, copies, devices, advice\n"
             "  gantry profile --data ./app input.txt    look at the bytes that are copied, too\n"
             "  gantry profile --json -o p.json ./app    for programs\n"
             "  gantry profile --trace t.json ./app      a timeline, too\n"
             "  gantry profile --html p.html ./app       a page for a browser\n"
             "  gantry profile --compare old.json new.json");
  const ProgramCommand command = split_program_command(app, argc, argv);
  if (const std::optional<int> status =
          parse(app, static_cast<int>(command.own.size()), command.own.data())) {
    return *status;
  }
  options.command.assign(command.program.begin(), command.program.end());
  if (!options.command.empty() && !(options.read_folder.empty() && options.compared.empty())) {
    return fail("'{}' is not run with --read and --compare; leave it or them out",
                options.command.front());
  }
  if (!options.compared.empty() && !options.html.empty()) {
    const PageRun before = GANTRY_TRY(read_page_run(options.compared[0], "before"));
    const PageRun after = GANTRY_TRY(read_page_run(options.compared[1], "after"));
    GANTRY_TRY(write_file(options.html, as_bytes(page_of({before, after}))));
    return 0;
  }
  if (!options.compared.empty()) {
    const auto before = GANTRY_TRY(read_report(options.compared[0]));
    const auto after = GANTRY_TRY(read_report(options.compared[1]));
    GANTRY_TRY(write_text(comparison(before, after, options.all), options.output, stdout));
    return 0;
  }
  if (options.command.empty() && options.read_folder.empty()) {
    return fail("no program is named; `gantry profile --help` explains");
  }
  return run_and_report(options);
}

} // namespace
} // namespace gantry::cli::profile

namespace gantry::cli {

Result<int> run_profile(int argc, char** argv) {
  return profile::read_command_line(argc, argv);
}

} // namespace gantry::cli
