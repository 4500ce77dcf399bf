// What Flang's driver finds for NVIDIA's assembler. Flang has no -foffload-lto, so the pass plugin
// writes bitcode where the driver expects PTX (src/pass/flang), and this hands it on: the linker
// wrapper makes the PTX. Options that concern machine code are of no meaning here.

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "cli/command.h"
#include "format/file_kind.h"

#include <string>

namespace gantry::cli {

Result<int> run_ptxas(int argc, char** argv) {
  std::string input;
  std::string output;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if ((argument == "--output-file" || argument == "-o") && i + 1 < argc) {
      output = argv[++i];
    } else if (argument == "--gpu-name" && i + 1 < argc) {
      ++i;
    } else if (!argument.starts_with("-")) {
      input = argument;
    }
  }
  if (input.empty() || output.empty()) {
    return fail("this stands in for NVIDIA's ptxas where Flang calls it: ptxas --gpu-name GPU "
                "--output-file FILE INPUT");
  }
  const MappedFile file = GANTRY_TRY(MappedFile::open(input));
  if (format::identify(file.bytes()) != format::FileKind::kBitcode) {
    return fail("'{}' is not LLVM bitcode, as Flang with Gantry's plugin makes it: "
                "compile with 'gantry flang' or --config=gantry-flang-gpu.cfg",
                input);
  }
  GANTRY_TRY(write_file(output, file.bytes()));
  return 0;
}

} // namespace gantry::cli
