#include "simt/emit/emit.h"

#include <cstring>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/ExecutionEngine/JITSymbol.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <sys/mman.h>

namespace gantry::simt {

namespace {

constexpr std::size_t kLargest = 64 << 20;

/// Gives out sections one after the other in one range of addresses.
class Slab final : public llvm::RuntimeDyld::MemoryManager {
public:
  Slab() {
    void* memory = mmap(nullptr, kLargest, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    base_ = memory == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory);
  }
  ~Slab() override {
    if (base_ != nullptr) {
      munmap(base_, kLargest);
    }
  }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  std::uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned,
                                    llvm::StringRef) override {
    return take(size, alignment);
  }
  std::uint8_t* allocateDataSection(uintptr_t size, unsigned alignment, unsigned, llvm::StringRef,
                                    bool) override {
    return take(size, alignment);
  }
  void registerEHFrames(std::uint8_t*, std::uint64_t, size_t) override {}
  void deregisterEHFrames() override {}
  bool finalizeMemory(std::string*) override { return false; }

  [[nodiscard]] const std::uint8_t* base() const { return base_; }
  [[nodiscard]] std::size_t size() const { return used_; }

private:
  std::uint8_t* take(std::size_t size, std::size_t alignment) {
    const std::size_t start = (used_ + alignment - 1) / alignment * alignment;
    if (base_ == nullptr || start + size > kLargest) {
      return nullptr;
    }
    used_ = start + size;
    return base_ + start;
  }

  std::uint8_t* base_;
  std::size_t used_ = 0;
};

/// Code refers to nothing outside itself; what it does is a fault of this compiler.
class NoSymbols final : public llvm::LegacyJITSymbolResolver {
public:
  llvm::JITSymbol findSymbol(const std::string& name) override {
    missing += missing.empty() ? name : ", " + name;
    return {nullptr};
  }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return {nullptr}; }

  std::string missing;
};

// Addresses in the code itself would tie it to one place.
bool is_position_independent(const llvm::object::ObjectFile& object) {
  for (const llvm::object::SectionRef& section : object.sections()) {
    for (const llvm::object::RelocationRef& relocation : section.relocations()) {
      const std::uint64_t type = relocation.getType();
      if (type != llvm::ELF::R_X86_64_PC32 && type != llvm::ELF::R_X86_64_PLT32 &&
          type != llvm::ELF::R_X86_64_PC64) {
        return false;
      }
    }
  }
  return true;
}

/// Adds up the sizes of frames. LLVM tells each as a warning, of functions with a limit.
class FrameSizes final : public llvm::DiagnosticHandler {
public:
  explicit FrameSizes(std::uint64_t& bytes) : bytes_(bytes) { bytes_ = 0; }

  static void ask_for(llvm::Module& module) {
    for (llvm::Function& function : module) {
      if (!function.isDeclaration()) {
        function.addFnAttr("warn-stack-size", "0");
      }
    }
  }

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    const auto* const frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info);
    if (frame == nullptr) {
      return false;
    }
    bytes_ += frame->getStackSize();
    return true;
  }

private:
  std::uint64_t& bytes_;
};

// TargetMachine::addPassesToEmitFile() but for one pass. An option of LLVM's command line would
// turn that off, too, but for everybody in the process who uses the same library.
bool add_code_generator(llvm::legacy::PassManager& passes, llvm::TargetMachine& machine,
                        llvm::raw_pwrite_stream& stream) {
  llvm::TargetPassConfig* const config = machine.createPassConfig(passes);
  // Moving an instruction down to where its result is used keeps its operands instead: vectors of
  // 32, in an unrolled loop dozens of them, all the way on the stack.
  config->disablePass(&llvm::MachineSinkingLegacyID);
  passes.add(config);
  auto* const functions = new llvm::MachineModuleInfoWrapperPass(&machine); // owned by `passes`
  passes.add(functions);
  if (config->addISelPasses()) {
    return false;
  }
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                            functions->getMMI().getContext())) {
    return false;
  }
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

} // namespace

std::unique_ptr<llvm::TargetMachine> host_machine(std::string& error) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) {
    return nullptr;
  }
  std::string features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    features += (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") +
                feature.first().str();
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, llvm::sys::getHostCPUName(), features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, /*JIT=*/true));
}

bool emit_image(llvm::Module& module, llvm::StringRef entry, llvm::TargetMachine& machine,
                Image& image, std::uint64_t& frame_bytes, std::string& error) {
  FrameSizes::ask_for(module);
  module.getContext().setDiagnosticHandler(std::make_unique<FrameSizes>(frame_bytes));
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (!add_code_generator(passes, machine, stream)) {
    error = "LLVM has no assembler for this machine";
    return false;
  }
  passes.run(module);
  const llvm::SmallVectorMemoryBuffer buffer(std::move(bytes), /*RequiresNullTerminator=*/false);
  auto object = llvm::object::ObjectFile::createObjectFile(buffer.getMemBufferRef());
  if (!object) {
    error = llvm::toString(object.takeError());
    return false;
  }
  if (!is_position_independent(**object)) {
    error = "internal error: the code depends on its address";
    return false;
  }
  Slab slab;
  NoSymbols symbols;
  llvm::RuntimeDyld linker(slab, symbols);
  linker.loadObject(**object);
  linker.resolveRelocations();
  if (!symbols.missing.empty() || linker.hasError()) {
    error = "internal error: the code needs " +
            (symbols.missing.empty() ? linker.getErrorString().str() : symbols.missing);
    return false;
  }
  const auto* address = static_cast<const std::uint8_t*>(linker.getSymbolLocalAddress(entry));
  if (address == nullptr) {
    error = "internal error: the code has no entry";
    return false;
  }
  image.bytes.resize(slab.size());
  std::memcpy(image.bytes.data(), slab.base(), slab.size());
  image.entry = static_cast<std::uint64_t>(address - slab.base());
  return true;
}

} // namespace gantry::simt
