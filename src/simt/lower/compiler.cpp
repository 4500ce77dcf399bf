// The compiler library's entries: a PTX function in, machine code for a warp out, or its one-lane
// form for the evaluator.
//
//   PTX ─ ScalarFunction ─▶ IR for one lane ─ simplify_scalar ─▶ ─ make_nans_canonical ─▶
//     ─ outline_lane_loops ─ WarpFunction ─▶ IR for a warp ─ optimize_warp ─▶ ─ emit_image ─▶ bytes
//                         └─ decode ─▶ steps
#include "simt/exec/code/code.h"
#include "simt/lower/canonical_nans.h"
#include "simt/lower/decode.h"
#include "simt/lower/emit.h"
#include "simt/lower/lane_loops.h"
#include "simt/lower/pipeline.h"
#include "simt/lower/scalar_function.h"
#include "simt/lower/waiting_loops.h"
#include "simt/lower/warp_function.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/FormatVariadic.h>
#include <mutex>
#include <time.h>
#include <utility>

namespace gantry::simt::lower {

namespace {

/// Where this thread goes on after a fatal error of LLVM.
struct Escape {
  std::jmp_buf point;
  std::string* error;
};
thread_local Escape* escape = nullptr;

// LLVM ends the process after a fatal error unless its handler does not return. As in LLVM's own
// CrashRecoveryContext, the way out is a jump: code without exceptions cannot be unwound, and what
// the compilation has allocated is lost.
void leave_compilation(void*, const char* reason, bool) {
  if (escape != nullptr) {
    *escape->error = std::string("internal error: ") + reason;
    std::longjmp(escape->point, 1);
  }
  // Of another user of the library: said as LLVM says it.
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
}

/// Installs the handler of fatal errors, of which LLVM has one for the process, during
/// compilations.
class FatalErrors {
public:
  FatalErrors() {
    const std::lock_guard lock(mutex);
    if (users++ == 0) {
      llvm::install_fatal_error_handler(leave_compilation);
    }
  }
  ~FatalErrors() {
    const std::lock_guard lock(mutex);
    if (--users == 0) {
      llvm::remove_fatal_error_handler();
    }
  }
  FatalErrors(const FatalErrors&) = delete;
  FatalErrors& operator=(const FatalErrors&) = delete;

private:
  static inline std::mutex mutex;
  static inline unsigned users = 0;
};

// GANTRY_SIMT_DUMP names a stage whose IR is written to standard error: "scalar", "simple", "warp",
// "code"; "times": what each stage has taken, in milliseconds of the processor.
bool is_dumped(const char* what) {
  const char* wanted = secure_getenv("GANTRY_SIMT_DUMP");
  return wanted != nullptr && llvm::StringRef(wanted).contains(what);
}

/// Calls a function in front of each of LLVM's passes that could be left out.
class BetweenPasses final : public llvm::OptPassGate {
public:
  explicit BetweenPasses(void (*function)()) : function_(function) {}

  [[nodiscard]] bool isEnabled() const override { return function_ != nullptr; }
  [[nodiscard]] bool shouldRunPass(llvm::StringRef, llvm::StringRef) const override {
    function_();
    return true;
  }

private:
  void (*const function_)();
};

/// The stages of one compilation, for GANTRY_SIMT_DUMP.
class Stages {
public:
  explicit Stages(llvm::StringRef function) : timed_(is_dumped("times")) {
    if (timed_) {
      line_ = ("simt: " + function + ":").str();
      last_ = now();
    }
  }
  ~Stages() {
    if (timed_) {
      llvm::errs() << line_ << "\n";
    }
  }
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  void ended(const char* stage, const llvm::Function* function) {
    if (timed_) {
      const double before = std::exchange(last_, now());
      line_ += llvm::formatv(" {0} {1:f1}", stage, last_ - before).str();
    }
    if (function != nullptr && is_dumped(stage)) {
      llvm::errs() << "; " << stage << "\n" << *function;
    }
  }

private:
  static double now() {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  }

  const bool timed_;
  std::string line_;
  double last_ = 0;
};

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
  Stages stages(request.program->definition(request.function).name);
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
  const bool emitted = emit_image(module, "code", *machine, image, frame_bytes, error);
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

/// False as well if LLVM has had a fatal error. Nothing in this frame has a destructor, so the jump
/// may end in it.
template <typename Made>
bool or_escape(bool (*function)(const exec::CompileRequest&, Made&, std::string&),
               const exec::CompileRequest& request, Made& made, std::string& error) {
  Escape own;
  own.error = &error;
  escape = &own;
  const bool done = setjmp(own.point) == 0 && function(request, made, error);
  escape = nullptr;
  return done;
}

} // namespace

} // namespace gantry::simt::lower

// NOLINTNEXTLINE(readability-identifier-naming): exec/code/code.cpp looks it up by this name
extern "C" __attribute__((visibility("default"))) const char gantry_simt_compiler_version[] =
    GANTRY_SIMT_COMPILER_VERSION;

extern "C" __attribute__((visibility("default"))) bool
gantry_simt_compile(const gantry::simt::exec::CompileRequest& request,
                    gantry::simt::exec::CodeImage& image, std::string& error) {
  const gantry::simt::lower::FatalErrors handler;
  return gantry::simt::lower::or_escape(gantry::simt::lower::compile, request, image, error);
}

extern "C" __attribute__((visibility("default"))) bool
gantry_simt_decode(const gantry::simt::exec::CompileRequest& request,
                   gantry::simt::exec::OneLaneCode& code, std::string& error) {
  const gantry::simt::lower::FatalErrors handler;
  return gantry::simt::lower::or_escape(gantry::simt::lower::decode_one_lane, request, code, error);
}
