#include "simt/exec/code/compiler_library.h"

#include "simt/host/library_beside.h"
#include "simt/host/side_thread.h"
#include "simt/host/thread_with_stack.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <time.h>

namespace gantry::simt::exec {

namespace {

struct Compiler {
  CompileFunction compile = nullptr;
  DecodeFunction decode = nullptr;
  std::string error;
};

constexpr const char* kHint = "; GANTRY_SIMT_CODE=optimised makes it first";

/// The process ends, and what LLVM needs to make code of the tier is destroyed.
constinit std::array<std::atomic<bool>, kTiers> has_gone = {};

template <Tier kTier>
void close() {
  has_gone[static_cast<unsigned>(kTier)].store(true, std::memory_order_relaxed);
  SideThread::instance().stop(kHint);
}

// Registered when the library is opened and again behind the tier's first compilation: exit
// handlers run in the reverse order, and LLVM registers some when it first needs what they destroy.
// Each tier has its own: the side thread's first code may come much later than a static object
// whose destructor launches a kernel, and then that kernel gets quick code.
void close_at_exit(Tier tier) {
  (void)std::atexit(tier == Tier::kQuick ? close<Tier::kQuick> : close<Tier::kOptimised>);
}

// The compiler lies beside lib/simt/libcuda.so.1.
Compiler find_compiler() {
  Compiler compiler;
  const auto library = open_library({.own = reinterpret_cast<const void*>(&find_compiler),
                                     .file = GANTRY_SIMT_COMPILER,
                                     .within_tree = "../lib/simt/",
                                     .version_name = "gantry_simt_compiler_version",
                                     .version = GANTRY_SIMT_COMPILER_VERSION});
  if (library) {
    compiler.compile = reinterpret_cast<CompileFunction>(dlsym(*library, "gantry_simt_compile"));
    compiler.decode = reinterpret_cast<DecodeFunction>(dlsym(*library, "gantry_simt_decode"));
    close_at_exit(Tier::kQuick);
    close_at_exit(Tier::kOptimised);
  } else {
    compiler.error = library.error();
  }
  return compiler;
}

/// No lock is held while a library is opened, see open_compiler(): threads that come at the same
/// time each open it.
const Compiler& opened_compiler() {
  // Never destroyed: runtimes launch kernels from their last destructors.
  static std::atomic<const Compiler*> opened = nullptr;
  const Compiler* known = opened.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto own = std::make_unique<const Compiler>(find_compiler());
    if (opened.compare_exchange_strong(known, own.get(), std::memory_order_acq_rel)) {
      known = own.release();
    }
  }
  return *known;
}

template <typename Made>
using CompilerFunction = bool (*Compiler::*)(const CompileRequest&, Made&, std::string&);

template <typename Made>
bool call_here(CompilerFunction<Made> function, const CompileRequest& request, Made& made,
               std::string& error) {
  const Compiler& compiler = opened_compiler();
  if (compiler_is_gone(request.tier)) {
    error = "the process ends, and the compiler of the PTX executor is closed";
    return false;
  }
  if (compiler.*function == nullptr) {
    error = fmt::format("the compiler of the PTX executor cannot be loaded: {}", compiler.error);
    return false;
  }
  const bool done = (compiler.*function)(request, made, error);
  static std::array<std::once_flag, kTiers> first;
  std::call_once(first[static_cast<unsigned>(request.tier)], close_at_exit, request.tier);
  return done;
}

/// Waits for the thread, and says once what for if that takes long.
void wait_for(pthread_t thread, const CompileRequest& request) {
  constexpr time_t kLong = 2; // seconds
  timespec limit = {};
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += kLong;
  if (pthread_timedjoin_np(thread, nullptr, &limit) == 0) {
    return;
  }
  const ptx::Function& function = request.program->definition(request.function);
  fmt::print(stderr,
             "gantry: info: making machine code of '{}', {} instructions; this happens once, and "
             "is kept\n",
             function.name, function.instructions.size());
  pthread_join(thread, nullptr);
}

template <typename Made>
bool call_compiler(CompilerFunction<Made> function, const CompileRequest& request, Made& made,
                   std::string& error) {
  bool done = false;
  const std::function<void()> work = [&] { done = call_here(function, request, made, error); };
  pthread_t thread = {};
  const int failed = start_thread(kCompilerStack, work, thread);
  if (failed != 0) {
    error = fmt::format("the compiler of the PTX executor gets no thread: {}; raise the limit of "
                        "processes (ulimit -u)",
                        std::strerror(failed));
    return false;
  }
  wait_for(thread, request);
  return done;
}

} // namespace

void open_compiler() {
  (void)opened_compiler();
}

bool compile(const CompileRequest& request, CodeImage& image, std::string& error) {
  return call_compiler(&Compiler::compile, request, image, error);
}

bool decode(const CompileRequest& request, OneLaneCode& code, std::string& error) {
  return call_compiler(&Compiler::decode, request, code, error);
}

bool compile_here(const CompileRequest& request, CodeImage& image, std::string& error) {
  return call_here(&Compiler::compile, request, image, error);
}

void stop_improving_with_this_thread() {
  SideThread::stop_with_this_thread(kHint);
}

bool compiler_is_gone(Tier tier) {
  return has_gone[static_cast<unsigned>(tier)].load(std::memory_order_relaxed);
}

} // namespace gantry::simt::exec
