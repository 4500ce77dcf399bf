// The compiler, lower/, which is a library of its own: opened when code is first compiled.
#pragma once

#include "simt/amdgcn/exec/compile_request.h"

#include <string>

namespace gantry::simt::amdgcn {

/// Whether the build has a compiler, and the host's processor the level that it makes code for.
[[nodiscard]] bool may_compile();

/// Opens the compiler's library on this thread, which holds no lock. To be called on a thread of
/// the program before another one waits for code: the program's may be inside dlopen, as
/// constructors of libraries are, and then no other thread can open a library until it returns.
void open_compiler();

/// The compiler's function, on this very thread, which has kCompilerStack.
[[nodiscard]] bool compile(const CompileRequest& request, CompiledImage& image, std::string& error);

} // namespace gantry::simt::amdgcn
