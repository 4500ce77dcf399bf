// The compiler, lower/, which is a library of its own: opened when the first function is compiled.
#pragma once

#include "simt/exec/code/code.h"

#include <string>

namespace gantry::simt::exec {

/// Opens the compiler's library on this thread, which holds no lock. To be called where a thread of
/// the program comes in that may need the compiler: it may be inside dlopen, as constructors of
/// libraries are, and then no other thread can open a library until it returns.
void open_compiler();

/// The compiler's two functions. Each runs on a thread of its own, because the caller may be a
/// warp, whose stack is too small for a compiler; the caller waits, and says so in one line if it
/// takes long. Any thread.
[[nodiscard]] bool compile(const CompileRequest& request, CodeImage& image, std::string& error);
[[nodiscard]] bool decode(const CompileRequest& request, OneLaneCode& code, std::string& error);

/// compile() on this very thread, which has such a stack, and without a word.
[[nodiscard]] bool compile_here(const CompileRequest& request, CodeImage& image,
                                std::string& error);

/// To be called on threads of the program that launch kernels: if it is the process's first thread,
/// which ends the process as a rule, no code is being improved any more when it begins to.
void stop_improving_with_this_thread();

/// The process ends, and objects of LLVM's that code of the tier needs are destroyed.
[[nodiscard]] bool compiler_is_gone(Tier tier);

} // namespace gantry::simt::exec
