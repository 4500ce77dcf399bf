// By libffi, which costs ten times what a caller of launch.cpp does.
#include "plugins/cpu/many_parameters.h"

#include "plugins/last_error.h"

#include <vector>

#include <ffi.h>
#include <gantry/plugin.h>

namespace gantry::cpu {

std::int32_t call_with_many(void* function, void* const* arguments, std::uint32_t count) {
  std::vector<ffi_type*> types(count, &ffi_type_pointer);
  std::vector<void*> values(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    values[i] = static_cast<void*>(const_cast<void**>(&arguments[i]));
  }
  ffi_cif prepared;
  if (ffi_prep_cif(&prepared, FFI_DEFAULT_ABI, count, &ffi_type_void, types.data()) != FFI_OK) {
    return plugins::report(GANTRY_FAILURE, "a kernel with {} parameters cannot be called", count);
  }
  ffi_call(&prepared, reinterpret_cast<void (*)()>(function), nullptr, values.data());
  return GANTRY_SUCCESS;
}

} // namespace gantry::cpu
