// What compilations of both executors have in common: LLVM's fatal errors, being given up, and what
// GANTRY_SIMT_DUMP asks for.
#pragma once

#include <csetjmp>
#include <llvm/IR/Function.h>
#include <llvm/IR/OptBisect.h>
#include <string>
#include <utility>

namespace gantry::simt {

/// Where this thread goes on after a fatal error of LLVM.
struct Escape {
  std::jmp_buf point;
  std::string* error;
};
/// Null outside of compilations.
void set_escape(Escape* escape);

/// Installs the handler of fatal errors, of which LLVM has one for the process, during
/// compilations.
class FatalErrors {
public:
  FatalErrors();
  ~FatalErrors();
  FatalErrors(const FatalErrors&) = delete;
  FatalErrors& operator=(const FatalErrors&) = delete;
};

/// Calls a compiler's function. False as well if LLVM has had a fatal error. Nothing in this frame
/// has a destructor, so the jump may end in it.
template <typename Request, typename Made>
bool or_escape(bool (*function)(const Request&, Made&, std::string&), const Request& request,
               Made& made, std::string& error) {
  Escape own;
  own.error = &error;
  set_escape(&own);
  const bool done = setjmp(own.point) == 0 && function(request, made, error);
  set_escape(nullptr);
  return done;
}

/// Calls a function, if there is one, in front of each of LLVM's passes that could be left out.
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

/// The stages of one compilation. GANTRY_SIMT_DUMP names one whose IR is written to standard error,
/// or is "times": what each stage has taken, in milliseconds of the processor.
class Stages {
public:
  explicit Stages(const std::string& name);
  ~Stages();
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  /// `function`, if there is one, is what the stage has made.
  void ended(const char* stage, const llvm::Function* function);

private:
  const bool timed_;
  std::string line_;
  double last_ = 0;
};

} // namespace gantry::simt
