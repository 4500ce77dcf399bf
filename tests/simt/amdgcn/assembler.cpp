#include "assembler.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include <cstring>
#include <memory>

namespace gantry::simt::amdgcn {

namespace {

/// Keeps the bytes of each line's instruction.
class Collector : public llvm::MCStreamer {
public:
  Collector(llvm::MCContext& context, const llvm::SourceMgr& source,
            const llvm::MCCodeEmitter& emitter, std::vector<Words>& made)
      : MCStreamer(context), source_(source), emitter_(emitter), made_(made) {}

  void emitInstruction(const llvm::MCInst& instruction,
                       const llvm::MCSubtargetInfo& subtarget) override {
    llvm::SmallVector<char, 32> bytes;
    llvm::SmallVector<llvm::MCFixup, 4> fixups;
    emitter_.encodeInstruction(instruction, bytes, fixups, subtarget);
    Words words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
    made_[source_.FindLineNumber(instruction.getLoc()) - 1] = std::move(words);
  }
  bool emitSymbolAttribute(llvm::MCSymbol* /*symbol*/, llvm::MCSymbolAttr /*what*/) override {
    return true;
  }
  void emitCommonSymbol(llvm::MCSymbol* /*symbol*/, std::uint64_t /*size*/,
                        llvm::Align /*alignment*/) override {}

private:
  const llvm::SourceMgr& source_;
  const llvm::MCCodeEmitter& emitter_;
  std::vector<Words>& made_;
};

} // namespace

std::vector<Words> assemble(std::string_view processor, const std::vector<std::string>& lines,
                            std::string_view features) {
  static const bool is_ready = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    return true;
  }();
  (void)is_ready;
  std::vector<Words> made(lines.size());
  std::string text;
  for (const std::string& line : lines) {
    text += line + '\n';
  }
  const llvm::Triple triple("amdgcn--");
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::SourceMgr source;
  source.setDiagHandler([](const llvm::SMDiagnostic& /*diagnostic*/, void* /*unused*/) {});
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  const llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  const std::unique_ptr<llvm::MCAsmInfo> assembly(
      target->createMCAsmInfo(*registers, triple, options));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, std::string(processor), std::string(features)));
  llvm::MCContext context(triple, assembly.get(), registers.get(), subtarget.get(), &source,
                          &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> files(
      target->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(files.get());
  const std::unique_ptr<llvm::MCCodeEmitter> emitter(
      target->createMCCodeEmitter(*instructions, context));
  Collector collector(context, source, *emitter, made);
  target->createNullTargetStreamer(collector); // which then is the collector's
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(source, context, collector, *assembly));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*target_parser);
  (void)parser->Run(false, true); // errors are those of single lines
  return made;
}

} // namespace gantry::simt::amdgcn
