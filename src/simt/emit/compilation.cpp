#include "simt/emit/compilation.h"

#include <cstdio>
#include <cstdlib>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>
#include <time.h>

namespace gantry::simt {

namespace {

thread_local Escape* current_escape = nullptr;

// LLVM ends the process after a fatal error unless its handler does not return. As in LLVM's own
// CrashRecoveryContext, the way out is a jump: code without exceptions cannot be unwound, and what
// the compilation has allocated is lost.
void leave_compilation(void*, const char* reason, bool) {
  if (current_escape != nullptr) {
    *current_escape->error = std::string("internal error: ") + reason;
    std::longjmp(current_escape->point, 1);
  }
  // Of another user of the library: said as LLVM says it.
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
}

std::mutex handler_mutex;
unsigned handler_users = 0;

bool is_dumped(const char* what) {
  const char* wanted = secure_getenv("GANTRY_SIMT_DUMP");
  return wanted != nullptr && llvm::StringRef(wanted).contains(what);
}

double now() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

} // namespace

void set_escape(Escape* escape) {
  current_escape = escape;
}

FatalErrors::FatalErrors() {
  const std::lock_guard lock(handler_mutex);
  if (handler_users++ == 0) {
    llvm::install_fatal_error_handler(leave_compilation);
  }
}
FatalErrors::~FatalErrors() {
  const std::lock_guard lock(handler_mutex);
  if (--handler_users == 0) {
    llvm::remove_fatal_error_handler();
  }
}

Stages::Stages(const std::string& name) : timed_(is_dumped("times")) {
  if (timed_) {
    line_ = "simt: " + name + ":";
    last_ = now();
  }
}
Stages::~Stages() {
  if (timed_) {
    llvm::errs() << line_ << "\n";
  }
}

void Stages::ended(const char* stage, const llvm::Function* function) {
  if (timed_) {
    const double before = std::exchange(last_, now());
    line_ += llvm::formatv(" {0} {1:f1}", stage, last_ - before).str();
  }
  if (function != nullptr && is_dumped(stage)) {
    llvm::errs() << "; " << stage << "\n" << *function;
  }
}

} // namespace gantry::simt
