// Entry points that the table makes: other names of functions, their variants for the calling
// thread's default stream, and functions that are not offered.
#include "simt/driver/api.h"
#include "simt/driver/messages.h"

// Declared without their parameters, which they do not look at.
#define GANTRY_CUDA_NOT_OFFERED(exported)                                                          \
  GANTRY_CUDA_API exported() {                                                                     \
    return gantry::simt::driver::not_offered(#exported);                                           \
  }
#include "simt/driver/entry_points.def"

namespace {

using gantry::simt::driver::PerThreadDefault;

template <auto Function>
struct Forward;

template <typename... Parameters, CUresult (*Function)(Parameters...)>
struct Forward<Function> {
  static CUresult call(Parameters... parameters) { return Function(parameters...); }

  static CUresult call_per_thread(Parameters... parameters) {
    const PerThreadDefault scope;
    return Function(parameters...);
  }
};

// The assembler gives a template's function its exported name, because C++ cannot define a function
// from its type: the parameters would have to be written out again.
#define GANTRY_CUDA_NAME(exported, function)                                                       \
  asm(".globl " #exported "\n.type " #exported ", @function\n.set " #exported ", %c0"              \
      :                                                                                            \
      : "i"(&(function)));
#define GANTRY_CUDA_FORWARD(exported, function) GANTRY_CUDA_NAME(exported, Forward<function>::call)
#define GANTRY_CUDA_FORWARD_PER_THREAD(exported, function)                                         \
  GANTRY_CUDA_NAME(exported, Forward<function>::call_per_thread)

/// Never called: holds the names.
[[gnu::used, gnu::noinline]] void exported_names() {
#include "simt/driver/entry_points.def"
}

} // namespace
