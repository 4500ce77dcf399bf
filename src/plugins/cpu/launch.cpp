// A kernel of a CPU image is a C function whose parameters are all of pointer size. Their number is
// known only at a launch, so the call is made by libffi.
#include "plugins/cpu/error.h"

#include <vector>

#include <ffi.h>
#include <gantry/plugin.h>

namespace {

/// A prepared call with `count` parameters; a thread mostly launches the same kernels again.
struct PreparedCall {
  ffi_cif cif{};
  std::uint32_t count = ~0u;
  std::vector<ffi_type*> types;
  std::vector<void*> values;

  bool prepare(std::uint32_t parameters) {
    if (count == parameters) [[likely]] {
      return true;
    }
    types.assign(parameters, &ffi_type_pointer);
    values.resize(parameters);
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, parameters, &ffi_type_void, types.data()) != FFI_OK) {
      return false;
    }
    count = parameters;
    return true;
  }
};

} // namespace

extern "C" int32_t __tgt_rtl_launch_kernel(int32_t device, gantry_kernel* kernel,
                                           const gantry_launch* launch) {
  thread_local PreparedCall call;
  if (!call.prepare(launch->argument_count)) {
    return gantry::cpu::report(GANTRY_FAILURE, "a kernel with {} parameters cannot be called",
                               launch->argument_count);
  }
  for (std::uint32_t i = 0; i < launch->argument_count; ++i) {
    call.values[i] = const_cast<void**>(&launch->arguments[i]);
  }
  ffi_call(&call.cif, reinterpret_cast<void (*)()>(kernel), nullptr, call.values.data());
  return GANTRY_SUCCESS;
}
