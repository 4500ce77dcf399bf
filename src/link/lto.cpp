#include "link/lto.h"

#include "format/file_kind.h"
#include "link/bitcode.h"
#include "link/installation.h"
#include "link/symbol_resolution.h"

#include <filesystem>
#include <mutex>
#include <set>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/LTO/Config.h>
#include <llvm/LTO/LTO.h>
#include <llvm/Support/Caching.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Support/raw_ostream.h>

namespace gantry::link {
namespace {

/// The last -O among the device compiler's arguments; -O2 without one, as for a compile of LTO.
unsigned optimization_level(const std::vector<std::string>& compiler_arguments) {
  unsigned level = 2;
  for (const std::string_view argument : compiler_arguments) {
    if (!argument.starts_with("-O")) {
      continue;
    }
    const std::string_view value = argument.substr(2);
    if (value == "0" || value == "1" || value == "2" || value == "3") {
      level = static_cast<unsigned>(value.front() - '0');
    } else if (value == "fast" || value == "4") {
      level = 3;
    } else if (value == "g") {
      level = 1;
    } else { // -O, -Os, -Oz: the functions themselves carry what is about size
      level = value.empty() ? 1 : 2;
    }
  }
  return level;
}

llvm::CodeGenOptLevel code_generation_level(unsigned level) {
  return llvm::CodeGenOpt::getLevel(static_cast<int>(level))
      .value_or(llvm::CodeGenOptLevel::Default);
}

/// A bitcode input on its way to the optimiser.
struct OpenedInput {
  const DeviceInput* input;
  std::unique_ptr<llvm::lto::InputFile> file;
  std::unique_ptr<llvm::SmallVector<char, 0>> rewritten; ///< what `file` reads, if not the input
};

/// Bitcode of -foffload-lto=thin without the summary that makes it so; nothing for other bitcode.
/// An image is linked as a whole in any case, and LLVM's import of functions between modules fails
/// on those that Clang 19 writes.
Result<std::unique_ptr<llvm::SmallVector<char, 0>>> without_summary(Bytes contents) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(as_text(contents)), "");
  const auto info = GANTRY_TRY(result_of_reading(llvm::getBitcodeLTOInfo(buffer)));
  if (!info.IsThinLTO) {
    return nullptr;
  }
  llvm::LLVMContext context;
  const auto module = GANTRY_TRY(result_of_reading(llvm::parseBitcodeFile(buffer, context)));
  auto rewritten = std::make_unique<llvm::SmallVector<char, 0>>();
  llvm::raw_svector_ostream stream(*rewritten);
  llvm::WriteBitcodeToFile(*module, stream);
  return rewritten;
}

/// Every symbol that could be seen from outside stays: the runtime looks kernels and variables up
/// by name, and objects that are not bitcode may refer to any.
std::vector<llvm::lto::SymbolResolution> resolutions_for(const OpenedInput& opened,
                                                         const SymbolResolution& symbols,
                                                         const std::set<std::string>& internal) {
  std::vector<llvm::lto::SymbolResolution> resolutions;
  for (const llvm::lto::InputFile::Symbol& symbol : opened.file->symbols()) {
    const bool hidden = symbol.getVisibility() == llvm::GlobalValue::HiddenVisibility;
    llvm::lto::SymbolResolution resolution;
    resolution.VisibleToRegularObj = internal.contains(symbol.getName().str()) ? 0 : 1;
    if (!symbol.isUndefined()) {
      resolution.Prevailing = symbols.prevails(*opened.input, symbol.getName().str()) ? 1 : 0;
      resolution.FinalDefinitionInLinkageUnit = 1;
      resolution.ExportDynamic = hidden ? 0 : 1;
    }
    resolutions.push_back(resolution);
  }
  return resolutions;
}

/// What some input defines as hidden, so that it is nobody else's.
std::set<std::string> hidden_definitions(const std::vector<OpenedInput>& opened) {
  std::set<std::string> hidden;
  for (const OpenedInput& input : opened) {
    for (const llvm::lto::InputFile::Symbol& symbol : input.file->symbols()) {
      if (!symbol.isUndefined() && symbol.getVisibility() == llvm::GlobalValue::HiddenVisibility) {
        hidden.insert(symbol.getName().str());
      }
    }
  }
  return hidden;
}

/// Errors that LLVM reports while it optimises, from several threads.
class Diagnostics {
public:
  void add(const llvm::DiagnosticInfo& info) {
    if (info.getSeverity() != llvm::DS_Error) {
      return;
    }
    const std::scoped_lock lock(mutex_);
    llvm::raw_string_ostream stream(text_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    if (!text_.empty()) {
      stream << '\n';
    }
    info.print(printer);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

private:
  std::mutex mutex_;
  std::string text_;
};

llvm::lto::Config make_config(const DeviceGroup& group, const Arguments& arguments,
                              const BitcodeOptions& options, Diagnostics& diagnostics) {
  const std::vector<std::string> compiler_arguments =
      arguments_for(arguments.device_compiler, group.triple);
  llvm::lto::Config config;
  // For functions that LLVM adds: all others name their CPU themselves.
  config.CPU = options.cpu;
  if (!options.feature.empty()) {
    config.MAttrs.push_back(options.feature);
  }
  config.OptLevel = optimization_level(compiler_arguments);
  config.CGOptLevel = code_generation_level(config.OptLevel);
  config.PTO.LoopVectorization = config.OptLevel > 1;
  config.PTO.SLPVectorization = config.OptLevel > 1;
  if (options.assembly) {
    config.CGFileType = llvm::CodeGenFileType::AssemblyFile;
  } else {
    config.RelocModel = llvm::Reloc::PIC_; // the image is a shared object
  }
  config.DefaultTriple = group.triple;
  // LLVM's default is .ctors, which lld leaves where no loader looks.
  config.Options.UseInitArray = true;
  // As lld compiles bitcode, so that the image's linker can leave out and order pieces.
  config.Options.FunctionSections = true;
  config.Options.DataSections = true;
  config.Options.EmitAddrsig = !options.assembly;
  config.PassPlugins.push_back(pass_plugin().string());
  config.DiagHandler = [&diagnostics](const llvm::DiagnosticInfo& info) { diagnostics.add(info); };
  return config;
}

/// Adds the definitions of `input` to `symbols` and, if it is bitcode, the input to `opened`.
Status add_input(const DeviceInput& input, SymbolResolution& symbols,
                 std::vector<OpenedInput>& opened) {
  if (format::identify(input.contents) != format::FileKind::kBitcode) {
    return elf_definitions(input.contents).map([&](const std::vector<Definition>& definitions) {
      symbols.add(input, definitions);
    });
  }
  // Opened as it is first: that refuses what LLVM cannot read.
  auto file = GANTRY_TRY(open_bitcode(input.contents, input.origin));
  auto rewritten = GANTRY_TRY(without_summary(input.contents));
  if (rewritten != nullptr) {
    file = GANTRY_TRY(open_bitcode(as_bytes({rewritten->data(), rewritten->size()}), input.origin));
  }
  symbols.add(input, bitcode_definitions(*file));
  opened.push_back({.input = &input, .file = std::move(file), .rewritten = std::move(rewritten)});
  return {};
}

} // namespace

Result<CompiledBitcode> compile_bitcode(const DeviceGroup& group, const DeviceLinkContext& context,
                                        const BitcodeOptions& options) {
  if (!std::filesystem::exists(pass_plugin())) {
    return fail("'{}' is missing; Gantry's installation at '{}' is not complete",
                pass_plugin().string(), installation_root().string());
  }
  // The optimiser relies on the resolution of each symbol, so all are known before it gets the
  // first.
  SymbolResolution symbols;
  std::vector<OpenedInput> opened;
  for (const DeviceInput* input : group.inputs) {
    GANTRY_TRY_CONTEXT(add_input(*input, symbols, opened), input->origin);
  }
  GANTRY_TRY(symbols.check_duplicates());

  Diagnostics diagnostics;
  llvm::lto::Config config = make_config(group, context.arguments, options, diagnostics);
  Status checked;
  if (options.before) {
    config.PostInternalizeModuleHook = [&, level = config.OptLevel](unsigned /*task*/,
                                                                    const llvm::Module& module) {
      // LLVM is about to change this module itself; the hook has a const module for clients that
      // only look.
      checked = options.before(const_cast<llvm::Module&>(module), level);
      return checked.has_value();
    };
  }
  if (options.after) {
    config.PreCodeGenModuleHook = [&](unsigned /*task*/, const llvm::Module& module) {
      checked = options.after(const_cast<llvm::Module&>(module)); // as above
      return checked.has_value();
    };
  }
  llvm::lto::LTO optimizer(std::move(config));
  CompiledBitcode result;
  const std::set<std::string> internal =
      options.whole_image ? hidden_definitions(opened) : std::set<std::string>();
  for (OpenedInput& bitcode : opened) {
    for (const llvm::lto::InputFile::Symbol& symbol : bitcode.file->symbols()) {
      result.references[symbol.getName().str()].push_back(bitcode.input->origin);
    }
    const std::vector<llvm::lto::SymbolResolution> resolutions =
        resolutions_for(bitcode, symbols, internal);
    if (llvm::Error error = optimizer.add(std::move(bitcode.file), resolutions)) {
      return fail("{}: the bitcode cannot be linked: {}", bitcode.input->origin,
                  llvm::toString(std::move(error)));
    }
  }

  // A task is one object; LLVM numbers them and may run several at once.
  result.files.resize(optimizer.getMaxTasks());
  const char* const suffix = options.assembly ? "s" : "o";
  const auto add_stream = [&](unsigned task, const llvm::Twine& /*module*/)
      -> llvm::Expected<std::unique_ptr<llvm::CachedFileStream>> {
    const std::string path = (context.folder / fmt::format("lto-{}.{}", task, suffix)).string();
    std::error_code error;
    auto stream = std::make_unique<llvm::raw_fd_ostream>(path, error, llvm::sys::fs::OF_None);
    if (error) {
      return llvm::createFileError(path, error);
    }
    result.files[task] = path;
    return std::make_unique<llvm::CachedFileStream>(std::move(stream), path);
  };
  if (llvm::Error error = optimizer.run(add_stream)) {
    return fail("the device bitcode cannot be compiled: {}", llvm::toString(std::move(error)));
  }
  if (!diagnostics.text().empty()) {
    return fail("the device bitcode cannot be compiled: {}", diagnostics.text());
  }
  GANTRY_TRY(std::move(checked));
  std::erase(result.files, "");
  return result;
}

} // namespace gantry::link
