// `gantry record`: runs a program with GANTRY_RECORD set.

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/program_command.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace gantry::cli {

Result<int> run_record(int argc, char** argv) {
  std::string place;
  std::uint64_t number = 1;
  std::string file;
  std::string device;
  bool fault = false;
  CLI::App app(
      "Runs a program, and writes one launch of a kernel to a file: the images, the memory\n"
      "that the kernel can reach, and what came of it. `gantry replay` runs it again.",
      "gantry record");
  app.add_option("--region", place,
                 "The construct's place, such as app.cpp:31, or the kernel's name; unset: any");
  app.add_option("--launch", number, "Which of its launches, counted from 1")->check(from(1));
  app.add_flag("--fault", fault, "The launch whose kernel fails, in place of a certain one");
  app.add_option("-o,--output", file, "The file; unset: PROGRAM.PID.recording in this folder");
  app.add_option("--device", device, "Sets GANTRY_DEVICES, to worker or simt for instance");
  std::string program; // for --help: the command line is divided before it is read
  app.add_option("PROGRAM", program, "The program; all behind it are its arguments")
      ->option_text("[ARGUMENT…]");
  app.footer("Kernels have to run on a device with memory of its own: worker, simt, cuda.\n\n"
             "Examples:\n"
             "  gantry record --device worker --region app.cpp:31 ./app 1000\n"
             "  gantry record --device simt --fault -o bug.recording ./app\n"
             "  gantry replay bug.recording --check race");
  const ProgramCommand command = split_program_command(app, argc, argv);
  if (const std::optional<int> status =
          parse(app, static_cast<int>(command.own.size()), command.own.data())) {
    return *status;
  }
  if (command.program.empty()) {
    return fail("no program is named; `gantry record --help` explains");
  }
  std::string what = "fault";
  if (!fault) {
    what = fmt::format("region{}{}@{}", place.empty() ? "" : ":", place, number);
  } else if (!place.empty() || number != 1) {
    return fail("--fault is of any launch; leave --region and --launch out");
  }
  setenv("GANTRY_RECORD", what.c_str(), 1);
  if (!file.empty()) {
    setenv("GANTRY_RECORD_FILE", file.c_str(), 1);
  }
  if (!device.empty()) {
    setenv("GANTRY_DEVICES", device.c_str(), 1);
  }
  std::vector<char*> words = {argv[0]};
  words.insert(words.end(), command.program.begin(), command.program.end());
  words.push_back(nullptr);
  return run_program(static_cast<int>(words.size()) - 1, words.data());
}

} // namespace gantry::cli
