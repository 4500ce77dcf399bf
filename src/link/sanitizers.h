// -fsanitize=: the one runtime of a process, which device code of a CPU shares with the host's.
//
// The driver links the runtime's archive into executables only, whole, and exports its functions; a
// shared library refers to them and finds them when it is loaded. The same goes for an image, which
// is a shared library that no linker sees together with the executable: it holds no copy of the
// runtime, and its references to it stay undefined until the program loads it.
#pragma once

#include <string_view>

namespace gantry::link {

/// True if `path` is an archive of a sanitizer's runtime. Those of compiler-rt that are made to be
/// in every shared object (builtins, profile, the static part of AddressSanitizer) are not meant.
[[nodiscard]] bool is_sanitizer_runtime(std::string_view path);

/// True if `name` is a function or variable of a sanitizer's runtime: "__asan_init",
/// "__sanitizer_cov_trace_pc".
[[nodiscard]] bool is_sanitizer_symbol(std::string_view name);

} // namespace gantry::link
