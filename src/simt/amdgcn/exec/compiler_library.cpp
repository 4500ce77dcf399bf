#include "simt/amdgcn/exec/compiler_library.h"

#include "simt/amdgcn/exec/levels.h"
#include "simt/host/library_beside.h"
#include "simt/host/side_thread.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <gantry/gantry.h>
#include <memory>
#include <mutex>

namespace gantry::simt::amdgcn {

#if defined(GANTRY_AMDGCN_COMPILER)

namespace {

struct Compiler {
  CompileFunction compile = nullptr;
  std::string error;
};

/// The process ends, and what LLVM needs is destroyed.
constinit std::atomic<bool> has_gone = false;

void close() {
  has_gone.store(true, std::memory_order_relaxed);
  SideThread::instance().stop(nullptr);
}

// Registered when the library is opened and again behind the first compilation: exit handlers run
// in the reverse order, and LLVM registers some when it first needs what they destroy.
void close_at_exit() {
  (void)std::atexit(close);
}

/// During the first compilation LLVM's handlers are in front of that one: where Gantry's runtime is
/// in the process, it calls before all of them.
void stop_with_first_thread() {
  if (auto* const before_exit = reinterpret_cast<decltype(&gantry_before_exit)>(
          dlsym(RTLD_DEFAULT, "gantry_before_exit"))) {
    before_exit(close);
  }
}

/// Likewise without it, where the process's first thread loads this library.
[[gnu::constructor]] void note_first_thread() {
  SideThread::stop_with_this_thread(nullptr);
}

// The compiler lies beside lib/simt-amd/libhsa-runtime64.so.1.
Compiler find_compiler() {
  Compiler compiler;
  const auto library = open_library({.own = reinterpret_cast<const void*>(&find_compiler),
                                     .file = GANTRY_AMDGCN_COMPILER,
                                     .within_tree = "../lib/simt-amd/",
                                     .version_name = "gantry_amdgcn_compiler_version",
                                     .version = GANTRY_AMDGCN_COMPILER_VERSION});
  if (library) {
    compiler.compile = reinterpret_cast<CompileFunction>(dlsym(*library, "gantry_amdgcn_compile"));
    close_at_exit();
    stop_with_first_thread();
  } else {
    compiler.error = library.error();
  }
  return compiler;
}

/// No lock is held while a library is opened, see open_compiler(): threads that come at the same
/// time each open it. One of them says so if it cannot be opened.
const Compiler& opened_compiler() {
  // Never destroyed: runtimes launch kernels from their last destructors.
  static std::atomic<const Compiler*> opened = nullptr;
  const Compiler* known = opened.load(std::memory_order_acquire);
  if (known == nullptr) {
    auto own = std::make_unique<const Compiler>(find_compiler());
    if (opened.compare_exchange_strong(known, own.get(), std::memory_order_acq_rel)) {
      known = own.release();
      if (known->compile == nullptr) {
        fmt::print(stderr, "gantry: warning: kernels are interpreted, which takes longer: {}\n",
                   known->error);
      }
    }
  }
  return *known;
}

} // namespace

bool may_compile() {
  return chosen_level() == available_levels().back() && kCompiledLevel == chosen_level();
}

void open_compiler() {
  (void)opened_compiler();
}

bool compile(const CompileRequest& request, CompiledImage& image, std::string& error) {
  const Compiler& compiler = opened_compiler();
  if (has_gone.load(std::memory_order_relaxed)) {
    error = "the process ends, and the compiler is closed";
    return false;
  }
  if (compiler.compile == nullptr) {
    error = fmt::format("the compiler cannot be loaded: {}", compiler.error);
    return false;
  }
  const bool done = compiler.compile(request, image, error);
  static std::once_flag first;
  std::call_once(first, close_at_exit);
  return done;
}

#else

bool may_compile() {
  return false;
}
void open_compiler() {}
bool compile(const CompileRequest& /*request*/, CompiledImage& /*image*/, std::string& error) {
  error = "the build has no compiler";
  return false;
}

#endif

} // namespace gantry::simt::amdgcn
