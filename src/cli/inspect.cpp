// libexec/gantry-inspect, which `gantry inspect` runs: what there is of offloading in a file.

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/inspect_report.h"

#include <CLI/CLI.hpp>

namespace gantry::cli {

namespace {

Result<int> inspect(int argc, char** argv) {
  std::vector<std::string> paths;
  bool json = false;
  CLI::App app("Shows the device images, the offload entries and the registration of objects,\n"
               "archives, executables, shared libraries and offload binaries.",
               "gantry inspect");
  app.add_option("FILE", paths, "Files to look into")->required()->type_name("");
  app.add_flag("--json", json, "Print JSON for programs to read; docs/tools.md has the fields");
  app.footer(
      "Examples:\n"
      "  gantry inspect app               the images in a program, and whom they are for\n"
      "  gantry inspect --json libapp.so  the same of a shared library, for programs to read");
  if (const std::optional<int> status = parse(app, argc, argv)) {
    return *status;
  }

  int status = 0;
  std::vector<format::InputFile> files; // what the reports point into
  std::vector<PartReport> reports;
  for (const std::string& path : paths) {
    auto file = format::InputFile::open(path);
    if (!file) {
      status = report(file.error());
      continue;
    }
    for (const format::InputFile::Part& part : file->parts()) {
      auto found = inspect_part(part);
      if (!found) {
        status = report(found.error());
        continue;
      }
      reports.push_back(std::move(*found));
    }
    files.push_back(std::move(*file));
  }
  fmt::print("{}", json ? to_json(reports) : to_table(reports));
  return status;
}

} // namespace
} // namespace gantry::cli

int main(int argc, char** argv) {
  return gantry::cli::with_output_written([&] { return gantry::cli::inspect(argc, argv); });
}
