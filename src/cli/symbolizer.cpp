// libexec/gantry-symbolizer FILE ADDRESS [FILE ADDRESS]…: what is at an address of an executable or
// library, as its symbol table counts. One line each: the name of the function or variable, the
// source position `FILE:LINE`, and a variable's address and size, with tabs between them; what is
// not known is left empty, or 0.
//
// The runtime runs it for messages, so that it need not read debug information itself.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include <llvm/DebugInfo/Symbolize/Symbolize.h>
#include <llvm/Support/Error.h>

namespace {

using llvm::object::SectionedAddress;

/// LLVM's way to say that something is not known.
bool is_known(const std::string& text) {
  return !text.empty() && text != llvm::DILineInfo::BadString;
}

void print(llvm::symbolize::LLVMSymbolizer& symbolizer, const std::string& file,
           std::uint64_t address) {
  std::string name;
  std::string position;
  bool is_code = false;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  if (auto code = symbolizer.symbolizeCode(file, SectionedAddress{address})) {
    is_code = code->Line != 0;
    if (is_known(code->FunctionName)) {
      name = code->FunctionName;
    }
    if (is_code && is_known(code->FileName)) {
      position = code->FileName + ":" + std::to_string(code->Line);
    }
  } else {
    llvm::consumeError(code.takeError());
  }
  // The symbol table alone does not tell variables from functions.
  if (!is_code) {
    if (auto data = symbolizer.symbolizeData(file, SectionedAddress{address})) {
      if (is_known(data->Name)) {
        name = data->Name;
        begin = data->Start;
        size = data->Size;
        if (is_known(data->DeclFile) && !data->DeclFile.empty()) {
          position = data->DeclFile + ":" + std::to_string(data->DeclLine);
        }
      }
    } else {
      llvm::consumeError(data.takeError());
    }
  }
  std::printf("%s\t%s\t%#" PRIx64 "\t%" PRIu64 "\n", name.c_str(), position.c_str(), begin, size);
}

} // namespace

int main(int count, char** words) {
  const std::span<char*> arguments(words + 1, static_cast<std::size_t>(count - 1));
  if (arguments.size() % 2 != 0) {
    std::fputs("usage: gantry-symbolizer FILE ADDRESS [FILE ADDRESS]...\n", stderr);
    return 2;
  }
  llvm::symbolize::LLVMSymbolizer symbolizer;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    print(symbolizer, arguments[i], std::strtoull(arguments[i + 1], nullptr, 0));
  }
  return 0;
}
