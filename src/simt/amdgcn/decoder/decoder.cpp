// The decoder's library: LLVM's disassembler of amdgcn.
#include "simt/amdgcn/code/decoder_interface.h"

#include <algorithm>
#include <cstring>
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
#include <memory>
#include <mutex>
#include <string>

namespace gantry::simt::amdgcn {

class Decoder {
public:
  /// Null if LLVM does not know the processor.
  static Decoder* make(const char* processor) {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUDisassembler();
    });
    const llvm::Triple triple("amdgcn-amd-amdhsa");
    std::string error;
    const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (target == nullptr) {
      return nullptr;
    }
    std::unique_ptr<Decoder> made(new Decoder);
    made->registers_.reset(target->createMCRegInfo(triple));
    made->assembly_.reset(target->createMCAsmInfo(*made->registers_, triple, made->options_));
    made->instructions_.reset(target->createMCInstrInfo());
    made->subtarget_.reset(target->createMCSubtargetInfo(triple, processor, ""));
    if (!made->subtarget_ || !made->subtarget_->isCPUStringValid(processor)) {
      return nullptr;
    }
    made->context_ = std::make_unique<llvm::MCContext>(
        triple, made->assembly_.get(), made->registers_.get(), made->subtarget_.get());
    made->disassembler_.reset(target->createMCDisassembler(*made->subtarget_, *made->context_));
    made->printer_.reset(target->createMCInstPrinter(triple, 0, *made->assembly_,
                                                     *made->instructions_, *made->registers_));
    return made.release();
  }

  bool decode(const std::uint8_t* bytes, std::size_t size, DecodedName& name) {
    llvm::MCInst instruction;
    std::uint64_t length = 0;
    if (!read(bytes, size, 0, instruction, length)) {
      return false;
    }
    name.opcode = instruction.getOpcode();
    name.size = static_cast<std::uint32_t>(length);
    name.mnemonic = printer_->getMnemonic(instruction).first;
    return name.mnemonic != nullptr && name.opcode < kMostOpcodes;
  }

  std::size_t print(const std::uint8_t* bytes, std::size_t size, std::uint64_t address, char* text,
                    std::size_t capacity) {
    std::string line;
    llvm::MCInst instruction;
    std::uint64_t length = 0;
    if (read(bytes, size, address, instruction, length)) {
      llvm::raw_string_ostream stream(line);
      printer_->printInst(&instruction, address, "", *subtarget_, stream);
    } else {
      line = "no instruction";
    }
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    std::ranges::replace(line, '\t', ' ');
    if (capacity != 0) {
      const std::size_t copied = std::min(line.size(), capacity - 1);
      std::memcpy(text, line.data(), copied);
      text[copied] = '\0';
    }
    return line.size();
  }

private:
  Decoder() = default;

  bool read(const std::uint8_t* bytes, std::size_t size, std::uint64_t address,
            llvm::MCInst& instruction, std::uint64_t& length) const {
    return disassembler_->getInstruction(instruction, length, llvm::ArrayRef(bytes, size), address,
                                         llvm::nulls()) == llvm::MCDisassembler::Success;
  }

  llvm::MCTargetOptions options_;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

} // namespace gantry::simt::amdgcn

using gantry::simt::amdgcn::DecodedName;
using gantry::simt::amdgcn::Decoder;

// The names are those that DecoderFunctions gives.
extern "C" {

[[gnu::visibility("default")]] Decoder* gantry_amdgcn_decoder(const char* processor) {
  return Decoder::make(processor);
}

[[gnu::visibility("default")]] bool gantry_amdgcn_decode(Decoder& decoder,
                                                         const std::uint8_t* bytes,
                                                         std::size_t size, DecodedName& name) {
  return decoder.decode(bytes, size, name);
}

[[gnu::visibility("default")]] std::size_t
gantry_amdgcn_print(Decoder& decoder, const std::uint8_t* bytes, std::size_t size,
                    std::uint64_t address, char* text, std::size_t capacity) {
  return decoder.print(bytes, size, address, text, capacity);
}

} // extern "C"
