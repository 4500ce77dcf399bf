// gantry_before_exit(): the end of the process's first thread, which comes before exit handlers.
//
// Libraries like LLVM's register exit handlers whenever they first need what those destroy. Who has
// a thread at work in such a library cannot stop it from a handler of its own: others, registered
// later, run before it. What ends with the first thread is destroyed before all handlers, and this
// library is there from the program's start.
#include "runtime/abi/export.h"

#include <array>
#include <atomic>
#include <unistd.h>

#include <gantry/gantry.h>

namespace {

using Function = void (*)();

constinit std::array<std::atomic<Function>, 8> functions = {};

struct FirstThreadEnd {
  FirstThreadEnd() = default;
  FirstThreadEnd(const FirstThreadEnd&) = delete;
  FirstThreadEnd& operator=(const FirstThreadEnd&) = delete;
  ~FirstThreadEnd() {
    for (std::atomic<Function>& function : functions) {
      if (const Function called = function.exchange(nullptr)) {
        called();
      }
    }
  }
};

[[gnu::constructor]] void note_first_thread() {
  if (gettid() == getpid()) { // otherwise the library was loaded by another one
    static thread_local const FirstThreadEnd end;
    (void)&end;
  }
}

} // namespace

GANTRY_EXPORT void gantry_before_exit(void (*called)()) {
  for (std::atomic<Function>& function : functions) {
    Function none = nullptr;
    if (function.compare_exchange_strong(none, called)) {
      return;
    }
  }
}
