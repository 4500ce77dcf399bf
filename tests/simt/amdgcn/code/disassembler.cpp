#include "disassembler.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

namespace gantry::simt::amdgcn {

struct Disassembler::State {
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Disassembler::Disassembler(std::string_view processor) : state_(std::make_unique<State>()) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
  State& it = *state_;
  it.registers.reset(target->createMCRegInfo(triple));
  it.assembly.reset(target->createMCAsmInfo(*it.registers, triple, it.options));
  it.instructions.reset(target->createMCInstrInfo());
  it.subtarget.reset(target->createMCSubtargetInfo(triple, std::string(processor), ""));
  it.context = std::make_unique<llvm::MCContext>(triple, it.assembly.get(), it.registers.get(),
                                                 it.subtarget.get());
  it.disassembler.reset(target->createMCDisassembler(*it.subtarget, *it.context));
  it.printer.reset(
      target->createMCInstPrinter(triple, 0, *it.assembly, *it.instructions, *it.registers));
}

Disassembler::~Disassembler() = default;

Disassembler::Line Disassembler::line(std::span<const std::uint32_t> words) {
  llvm::MCInst instruction;
  std::uint64_t size = 0;
  const llvm::ArrayRef bytes(reinterpret_cast<const std::uint8_t*>(words.data()), words.size() * 4);
  if (state_->disassembler->getInstruction(instruction, size, bytes, 0, llvm::nulls()) !=
      llvm::MCDisassembler::Success) {
    return {};
  }
  Line made;
  made.dwords = static_cast<unsigned>(size / 4);
  llvm::raw_string_ostream stream(made.text);
  state_->printer->printInst(&instruction, 0, "", *state_->subtarget, stream);
  made.text.erase(0, std::min(made.text.find_first_not_of(" \t"), made.text.size()));
  std::ranges::replace(made.text, '\t', ' ');
  return made;
}

} // namespace gantry::simt::amdgcn
