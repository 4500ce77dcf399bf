#include "link/fat_binary.h"

#include "base/mapped_file.h"
#include "link/process.h"

#include <cstdio>

#include <llvm/ADT/StringRef.h>

namespace gantry::link {
namespace {

namespace fs = std::filesystem;

Status run_tool(const std::vector<std::string>& command, const DeviceLinkContext& context) {
  show_command(context.arguments, command);
  const ProcessResult done = GANTRY_TRY(run_process(command, Capture::kDiagnostics));
  if (done.exit_code != 0) {
    return fail("'{}' failed with status {}: {}\n>>> it may be too old for the architecture or its "
                "PTX; without --ptxas the driver compiles the PTX",
                command.front(), done.exit_code, llvm::StringRef(done.captured).rtrim().str());
  }
  if (!done.captured.empty()) {
    std::fputs(done.captured.c_str(), stderr); // as --ptxas-arg=-v asks for
  }
  return {};
}

} // namespace

Result<std::vector<std::byte>> make_fat_binary(const fs::path& ptx, const std::string& arch,
                                               const DeviceLinkContext& context) {
  const fs::path assembler = context.arguments.ptxas;
  const std::string code = (context.folder / "code.cubin").string();
  const std::string container = (context.folder / "code.fatbin").string();
  std::vector<std::string> assemble = {assembler.string(), "-arch=" + arch};
  const std::vector<std::string>& more = context.arguments.ptxas_arguments;
  assemble.insert(assemble.end(), more.begin(), more.end());
  assemble.insert(assemble.end(), {ptx.string(), "-o", code});
  const std::string number = arch.substr(arch.find('_') + 1);
  // Not compressed: the PTX executor reads the text.
  const std::vector<std::string> join = {(assembler.parent_path() / "fatbinary").string(),
                                         "-64",
                                         "--compress=false",
                                         "--create=" + container,
                                         "--image3=kind=elf,sm=" + number + ",file=" + code,
                                         "--image3=kind=ptx,sm=" + number +
                                             ",file=" + ptx.string()};
  for (const auto& command : {assemble, join}) {
    GANTRY_TRY(run_tool(command, context));
  }
  const auto made = GANTRY_TRY(MappedFile::open(container));
  const Bytes bytes = made.bytes();
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

} // namespace gantry::link
