// The compiler library's entries: a PTX function in, machine code for a warp out, or its one-lane
// form for the evaluator.
//
//   PTX ─ ScalarFunction ─▶ IR for one lane ─ simplify_scalar ─▶ ─ make_nans_canonical ─▶
//     ─ outline_lane_loops ─ WarpFunction ─▶ IR for a warp ─ optimize_warp ─▶ ─ emit_image ─▶ bytes
//                         └─ decode ─▶ steps
#include "simt/emit/compilation.h"
#include "simt/emit/emit.h"
#include "simt/exec/code/code.h"
#include "simt/lower/canonical_nans.h"
#include "simt/lower/decode.h"
#include "simt/lower/lane_loops.h"
#include "simt/lower/pipeline.h"
#include "simt/lower/scalar_function.h"
#include "simt/lower/waiting_loops.h"
#include "simt/lower/warp_function.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/FormatVariadic.h>
#include <utility>

namespace gantry::simt::lower {

namespace {

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

// Whether the program is GCC's: outside of its loops over lanes all lanes do the same to the same
// memory, and rely on doing it together.
bool has_uniform_sections(const ptx::Program& program) {
  return program.find_variable("__nvptx_uni") || program.find_variable("__nvptx_stacks");
}

/// A function in its one-lane form.
struct OneLane {
  std::unique_ptr<llvm::TargetMachine> machine; ///< null if there is none, for which `error` is
  llvm::LLVMContext context;
  llvm::Module module{"kernel", context};
  llvm::Function* function = nullptr;

  OneLane(const exec::CompileRequest& request, std::string& error) : machine(host_machine(error)) {
    if (machine == nullptr) {
      return;
    }
    module.setTargetTriple(machine->getTargetTriple());
    module.setDataLayout(machine->createDataLayout());
    const llvm::StringRef features = machine->getTargetFeatureString();
    const TargetFacts facts{features.contains("+fma"), features.contains("+f16c")};
    function = ScalarFunction(*request.program, request.function, facts, module).build();
    find_waiting_loops(*function, *machine);
  }
};

bool decode_one_lane(const exec::CompileRequest& request, exec::OneLaneCode& code,
                     std::string& error) {
  const OneLane one_lane(request, error);
  return one_lane.machine != nullptr && decode(*one_lane.function, request.function, code, error);
}

/// The function's code for a warp, and behind it that of its lane loops. The one-lane form is gone
/// then.
std::vector<llvm::Function*> widen(llvm::Function& scalar, WarpOptions options, bool& may_suspend) {
  std::vector<llvm::Function*> loops;
  if (options.lanes_may_part) {
    loops = outline_lane_loops(scalar, options.geometry, options.local_addresses);
  }
  llvm::DenseMap<const llvm::Function*, llvm::Function*> of_loops;
  WarpOptions of_lane = options;
  of_lane.one_lane = true;
  of_lane.is_entry = false;
  for (llvm::Function* loop : loops) {
    WarpFunction widened(*loop, of_lane);
    of_loops[loop] = widened.build();
    of_lane.first_range = widened.next_range();
  }
  options.lane_loops = &of_loops;
  options.first_range = of_lane.first_range;
  WarpFunction widened(scalar, options);
  std::vector<llvm::Function*> made = {widened.build()};
  may_suspend = widened.may_suspend();
  scalar.eraseFromParent();
  for (llvm::Function* loop : loops) {
    made.push_back(of_loops[loop]);
    loop->eraseFromParent();
  }
  return made;
}

/// Makes the request's code in the tier; `frame_bytes` as of emit_image().
bool compile_as(exec::Tier tier, const exec::CompileRequest& request, exec::CodeImage& image,
                std::uint64_t& frame_bytes, std::string& error) {
  Stages stages(std::string(request.program->definition(request.function).name));
  OneLane one_lane(request, error);
  stages.ended("scalar", one_lane.function);
  if (one_lane.machine == nullptr) {
    return false;
  }
  const std::unique_ptr<llvm::TargetMachine>& machine = one_lane.machine;
  llvm::Module& module = one_lane.module;
  llvm::Function* const scalar = one_lane.function;
  BetweenPasses between_passes(request.between_passes);
  one_lane.context.setOptPassGate(between_passes);
  simplify_scalar(*scalar, *machine);
  make_nans_canonical(*scalar);
  stages.ended("simple", scalar);
  WarpOptions options;
  options.geometry = request.geometry;
  options.check_memory = request.check_memory;
  options.watch_accesses = request.watch_accesses;
  options.watch_exchanges = request.watch_exchanges;
  options.local_addresses = has_local_addresses(*request.program);
  options.lanes_may_part = !request.watch_accesses && !has_uniform_sections(*request.program);
  options.is_entry = request.program->definition(request.function).is_entry;
  options.first_site = exec::site_of(request.function, 0);
  // Functions of a program begin in different places, so that few share a range.
  constexpr unsigned kRangesOfFunction = 41;
  options.first_range = request.function * kRangesOfFunction;
  const std::vector<llvm::Function*> made = widen(*scalar, options, image.may_suspend);
  stages.ended("warp", made.front());
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  for (llvm::Function* function : made) {
    if (llvm::verifyFunction(*function, &stream)) {
      error = "internal error: " + problem;
      return false;
    }
    if (machine->getTargetFeatureString().contains("+avx512f")) {
      function->addFnAttr("prefer-vector-width", "512");
      function->addFnAttr("min-legal-vector-width", "512");
    }
  }
  image.tier = tier;
  if (tier == exec::Tier::kQuick) {
    machine->setOptLevel(llvm::CodeGenOptLevel::None);
  }
  for (llvm::Function* function : made) {
    optimize_warp(*function, *machine, tier);
    stages.ended("code", function);
  }
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() && function.use_empty()) {
      function.eraseFromParent();
    }
  }
  Image emitted_image;
  const bool emitted = emit_image(module, "code", *machine, emitted_image, frame_bytes, error);
  image.bytes = std::move(emitted_image.bytes);
  image.entry = emitted_image.entry;
  stages.ended("bytes", nullptr);
  return emitted;
}

/// Code that is asked to be quick is optimised nevertheless if its frame is too large otherwise: it
/// has a place for nearly every vector.
bool compile(const exec::CompileRequest& request, exec::CodeImage& image, std::string& error) {
  const std::uint64_t most = request.program->definition(request.function).is_entry
                                 ? exec::kKernelFrame
                                 : exec::kFunctionFrame;
  std::uint64_t frame = 0;
  if (!compile_as(request.tier, request, image, frame, error)) {
    return false;
  }
  if (frame > most && request.tier == exec::Tier::kQuick &&
      !compile_as(exec::Tier::kOptimised, request, image, frame, error)) {
    return false;
  }
  if (frame > most) {
    error = llvm::formatv("its values take {0} bytes of a warp's stack, which has room for {1}",
                          frame, most);
    return false;
  }
  return true;
}

} // namespace

} // namespace gantry::simt::lower

// NOLINTNEXTLINE(readability-identifier-naming): exec/code/code.cpp looks it up by this name
extern "C" __attribute__((visibility("default"))) const char gantry_simt_compiler_version[] =
    GANTRY_SIMT_COMPILER_VERSION;

extern "C" __attribute__((visibility("default"))) bool
gantry_simt_compile(const gantry::simt::exec::CompileRequest& request,
                    gantry::simt::exec::CodeImage& image, std::string& error) {
  const gantry::simt::FatalErrors handler;
  return gantry::simt::or_escape(gantry::simt::lower::compile, request, image, error);
}

extern "C" __attribute__((visibility("default"))) bool
gantry_simt_decode(const gantry::simt::exec::CompileRequest& request,
                   gantry::simt::exec::OneLaneCode& code, std::string& error) {
  const gantry::simt::FatalErrors handler;
  return gantry::simt::or_escape(gantry::simt::lower::decode_one_lane, request, code, error);
}
