// The compiler library's entry: instructions of AMD's GPUs in, machine code for a wave out.
//
//   instructions ─ FlowGraph ─▶ blocks, what is live ─ WaveFunction, with the executor's own
//     meanings ─▶ IR, lanes in loops ─ optimise ─▶ vectors ─ emit_image ─▶ bytes
#include "simt/amdgcn/exec/compile_request.h"
#include "simt/amdgcn/lower/meanings.h"
#include "simt/amdgcn/lower/pipeline.h"
#include "simt/amdgcn/lower/wave_function.h"
#include "simt/emit/compilation.h"
#include "simt/emit/emit.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

namespace gantry::simt::amdgcn::lower {

namespace {

bool compile(const CompileRequest& request, CompiledImage& image, std::string& error) {
  Stages stages(llvm::formatv("{0} instructions", request.code.size()).str());
  const std::unique_ptr<llvm::TargetMachine> machine = host_machine(error);
  if (machine == nullptr) {
    return false;
  }
  llvm::LLVMContext context;
  BetweenPasses between_passes(request.between_passes);
  context.setOptPassGate(between_passes);
  const std::unique_ptr<Meanings> meanings = Meanings::read(context, error);
  if (meanings == nullptr) {
    return false;
  }
  llvm::Module& module = meanings->module();
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  stages.ended("meanings", nullptr);
  WaveFunction wave(request, *meanings);
  llvm::Function& function = *wave.build();
  // Eight doubles in one vector where the processor has those.
  const char* const width = machine->getTargetFeatureString().contains("+avx512f") ? "512" : "256";
  for (llvm::Function& other : module) {
    other.addFnAttr("prefer-vector-width", width);
    other.addFnAttr("min-legal-vector-width", width);
    if (&other != &function && !other.hasFnAttribute(llvm::Attribute::NoInline) &&
        !other.isDeclaration()) {
      other.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyFunction(function, &stream)) {
    error = "internal error: " + problem;
    return false;
  }
  stages.ended("wave", &function);
  optimise(module, *machine);
  stages.ended("code", &function);
  Image emitted;
  std::uint64_t frame = 0;
  if (!emit_image(module, "code", *machine, emitted, frame, error)) {
    return false;
  }
  stages.ended("bytes", nullptr);
  image.bytes = std::move(emitted.bytes);
  image.entry = emitted.entry;
  image.places = wave.places();
  return true;
}

} // namespace

} // namespace gantry::simt::amdgcn::lower

// NOLINTNEXTLINE(readability-identifier-naming): the executor looks it up by this name
extern "C" __attribute__((visibility("default"))) const char gantry_amdgcn_compiler_version[] =
    GANTRY_AMDGCN_COMPILER_VERSION;

extern "C" __attribute__((visibility("default"))) bool
gantry_amdgcn_compile(const gantry::simt::amdgcn::CompileRequest& request,
                      gantry::simt::amdgcn::CompiledImage& image, std::string& error) {
  const gantry::simt::FatalErrors handler;
  return gantry::simt::or_escape(gantry::simt::amdgcn::lower::compile, request, image, error);
}
