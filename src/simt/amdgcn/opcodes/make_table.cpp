// Writes the table of opcodes that the executor reads instructions with: for each processor and
// format, which mnemonic each number is, as LLVM's disassembler says. Run by the build.
#include "simt/amdgcn/code/opcode_space.h"
#include "simt/amdgcn/objects/processor.h"

#include <algorithm>
#include <array>
#include <cstdio>
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
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gantry::simt::amdgcn {
namespace {

/// LLVM's disassembler of one processor.
class Disassembler {
public:
  explicit Disassembler(const std::string& processor) {
    const llvm::Triple triple("amdgcn-amd-amdhsa");
    std::string error;
    const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
    registers_.reset(target->createMCRegInfo(triple));
    assembly_.reset(target->createMCAsmInfo(*registers_, triple, options_));
    instructions_.reset(target->createMCInstrInfo());
    subtarget_.reset(target->createMCSubtargetInfo(triple, processor, ""));
    context_ = std::make_unique<llvm::MCContext>(triple, assembly_.get(), registers_.get(),
                                                 subtarget_.get());
    disassembler_.reset(target->createMCDisassembler(*subtarget_, *context_));
    printer_.reset(target->createMCInstPrinter(triple, 0, *assembly_, *instructions_, *registers_));
  }

  /// Empty if the words are no instruction.
  std::string mnemonic(const std::array<std::uint32_t, 3>& words, Format format) {
    llvm::MCInst instruction;
    std::uint64_t size = 0;
    const llvm::ArrayRef bytes(reinterpret_cast<const std::uint8_t*>(words.data()), sizeof words);
    if (disassembler_->getInstruction(instruction, size, bytes, 0, llvm::nulls()) !=
        llvm::MCDisassembler::Success) {
      return "";
    }
    if (format == Format::kVopdSecond) {
      return second_mnemonic(instruction);
    }
    const char* const text = printer_->getMnemonic(instruction).first;
    std::string made = text == nullptr ? "" : text;
    made.resize(std::min(made.find(' '), made.size())); // "off" may be behind it
    for (const std::string_view form : {"_e32", "_e64"}) {
      if (made.ends_with(form)) {
        made.resize(made.size() - form.size());
      }
    }
    return made;
  }

private:
  std::string second_mnemonic(const llvm::MCInst& instruction) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printer_->printInst(&instruction, 0, "", *subtarget_, stream);
    constexpr std::string_view kBefore = ":: ";
    const std::size_t begin = text.find(kBefore);
    if (begin == std::string::npos) {
      return "";
    }
    text.erase(0, begin + kBefore.size());
    return text.substr(0, text.find(' '));
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

/// What each opcode of a format is called. Operands are VGPRs or SGPRs; which ones an opcode takes
/// shows as one combination is an instruction.
std::vector<std::string> names_of(Disassembler& disassembler, const OpcodeSpace& space,
                                  const Processor& processor) {
  constexpr std::uint32_t kVgpr = 256;
  constexpr std::uint32_t kExecOperand = 126;
  std::vector<std::string> names(space.opcodes());
  for (unsigned opcode = 0; opcode < space.opcodes(); ++opcode) {
    for (unsigned choice = 0; choice < 16 && names[opcode].empty(); ++choice) {
      const auto source = [&](unsigned number) -> std::uint32_t {
        return ((choice >> number) & 1) != 0 ? 0 : kVgpr;
      };
      std::array<std::uint32_t, 3> words = {space.base | opcode << space.first_bit, 0, 0};
      if (space.format == Format::kVop3 || space.format == Format::kVop3p) {
        words[1] = source(0) | source(1) << 9 | source(2) << 18;
        words[0] |= choice >= 8 ? kExecOperand : 0; // which some have as their result
      } else if (space.format == Format::kSmem &&
                 !processor.is_gfx11) { // with an offset, or of none
        constexpr std::uint32_t kHasOffset = 1U << 17;
        words[0] |= choice == 0 ? kHasOffset : 0;
      } else if (space.has_vector_source) {
        words[0] |= source(0);
      }
      words[1] |= space.second;
      names[opcode] = disassembler.mnemonic(words, space.format);
    }
  }
  return names;
}

} // namespace
} // namespace gantry::simt::amdgcn

int main(int count, char** arguments) {
  using namespace gantry::simt::amdgcn;
  std::FILE* const file = count == 2 ? std::fopen(arguments[1], "w") : nullptr;
  if (file == nullptr) {
    std::fputs("usage: make_table FILE\n", stderr);
    return 2;
  }
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  std::string names(1, '\0'); // the first one is empty
  std::map<std::string, std::size_t> places = {{"", 0}};
  std::fputs("constexpr std::uint16_t kOpcodes[][kOpcodesOfProcessor] = {\n", file);
  for (const Processor& processor : processors()) {
    Disassembler disassembler{std::string(processor.name)};
    std::fputs("{", file);
    for (const OpcodeSpace& space : opcode_spaces(processor)) {
      for (const std::string& name : names_of(disassembler, space, processor)) {
        const auto [place, is_new] = places.try_emplace(name, names.size());
        if (is_new) {
          names += name + '\0';
        }
        std::fprintf(file, "%zu,", place->second);
      }
      std::fputs("\n", file);
    }
    std::fputs("},\n", file);
  }
  std::fputs("};\nconstexpr char kNames[] =\n", file);
  for (std::size_t begin = 0; begin < names.size(); begin += std::strlen(&names[begin]) + 1) {
    std::fprintf(file, "\"%s\\0\"\n", &names[begin]);
  }
  std::fputs(";\n", file);
  if (names.size() > 0xffff) {
    std::fputs("make_table: the names are too long for 16 bits\n", stderr);
    return 1;
  }
  return std::fclose(file) == 0 ? 0 : 1;
}
