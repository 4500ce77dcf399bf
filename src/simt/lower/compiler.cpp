// The compiler library's entry: a PTX function in, machine code for a warp out.
//
//   PTX ─ ScalarFunction ─▶ IR for one lane ─ simplify_scalar ─▶ ─ make_nans_canonical ─▶
//     ─ WarpFunction ─▶ IR for a warp ─ optimize_warp ─▶ ─ emit_image ─▶ bytes
#include "simt/exec/code.h"
#include "simt/lower/canonical_nans.h"
#include "simt/lower/emit.h"
#include "simt/lower/pipeline.h"
#include "simt/lower/scalar_function.h"
#include "simt/lower/warp_function.h"

#include <cstdlib>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <mutex>
#include <pthread.h>

namespace gantry::simt::lower {

namespace {

thread_local std::string* fatal_error = nullptr;

// LLVM ends the process when it meets what it cannot do. The compiler runs on a thread of its own
// (exec/code.cpp), which can end instead.
void end_thread(void*, const char* reason, bool) {
  if (fatal_error != nullptr) {
    *fatal_error = std::string("internal error: ") + reason;
    pthread_exit(nullptr);
  }
}

void set_up_once() {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(end_thread); });
}

// GANTRY_SIMT_DUMP names a stage whose IR is written to standard error: "scalar", "simple", "warp",
// "code".
void dump(const char* stage, const llvm::Function& function) {
  const char* wanted = std::getenv("GANTRY_SIMT_DUMP");
  if (wanted != nullptr && llvm::StringRef(wanted).contains(stage)) {
    llvm::errs() << "; " << stage << "\n" << function;
  }
}

// Whether any function of the program makes a generic address of local memory.
bool has_local_addresses(const ptx::Program& program) {
  for (const auto& module : program.modules) {
    for (const ptx::Function& function : module->functions) {
      for (const ptx::Instruction& instruction : function.instructions) {
        if (instruction.opcode == ptx::Opcode::k_cvta && instruction.has(ptx::Modifier::kLocal) &&
            !instruction.has(ptx::Modifier::kTo)) {
          return true;
        }
      }
    }
  }
  return false;
}

bool compile(const exec::CompileRequest& request, exec::CodeImage& image, std::string& error) {
  std::unique_ptr<llvm::TargetMachine> machine = host_machine(error);
  if (machine == nullptr) {
    return false;
  }
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  const llvm::StringRef features = machine->getTargetFeatureString();
  const TargetFacts facts{features.contains("+fma"), features.contains("+f16c")};
  llvm::Function* scalar =
      ScalarFunction(*request.program, request.function, facts, module).build();
  dump("scalar", *scalar);
  simplify_scalar(*scalar, *machine);
  make_nans_canonical(*scalar);
  dump("simple", *scalar);
  WarpOptions options;
  options.geometry = request.geometry;
  options.check_memory = request.check_memory;
  options.watch_accesses = request.watch_accesses;
  options.watch_exchanges = request.watch_exchanges;
  options.local_addresses = has_local_addresses(*request.program);
  options.is_entry = request.program->definition(request.function).is_entry;
  options.first_site = exec::site_of(request.function, 0);
  WarpFunction widened(*scalar, options);
  llvm::Function* code = widened.build();
  image.may_suspend = widened.may_suspend();
  dump("warp", *code);
  scalar->eraseFromParent();
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyFunction(*code, &stream)) {
    error = "internal error: " + problem;
    return false;
  }
  if (features.contains("+avx512f")) {
    code->addFnAttr("prefer-vector-width", "512");
    code->addFnAttr("min-legal-vector-width", "512");
  }
  optimize_warp(*code, *machine);
  dump("code", *code);
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() && function.use_empty()) {
      function.eraseFromParent();
    }
  }
  return emit_image(module, "code", *machine, image, error);
}

} // namespace

} // namespace gantry::simt::lower

// NOLINTNEXTLINE(readability-identifier-naming): exec/code.cpp looks it up by this name
extern "C" __attribute__((visibility("default"))) const char gantry_simt_compiler_version[] =
    GANTRY_SIMT_COMPILER_VERSION;

extern "C" __attribute__((visibility("default"))) bool
gantry_simt_compile(const gantry::simt::exec::CompileRequest& request,
                    gantry::simt::exec::CodeImage& image, std::string& error) {
  gantry::simt::lower::set_up_once();
  gantry::simt::lower::fatal_error = &error;
  const bool done = gantry::simt::lower::compile(request, image, error);
  gantry::simt::lower::fatal_error = nullptr;
  return done;
}
