// What every entry point does before and after its own work: nothing is done where calls may not be
// made, and no exception leaves.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/context.h"
#include "simt/driver/device.h"
#include "simt/driver/handles.h"
#include "simt/driver/module.h"
#include "simt/driver/process.h"
#include "simt/driver/thread_state.h"

#include <new>
#include <string_view>
#include <type_traits>

/// Exported under its plain name.
#define GANTRY_CUDA_API extern "C" [[gnu::visibility("default")]] CUresult

namespace gantry::simt::driver {

/// For calls that need no context.
template <typename Body>
CUresult call(Body&& body) noexcept {
  if (const CUresult ready = Process::instance().ready(); ready != CUDA_SUCCESS) {
    return ready;
  }
  if (HostFunctionScope::active()) {
    return CUDA_ERROR_NOT_PERMITTED;
  }
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return CUDA_ERROR_UNKNOWN;
  }
}

/// The calling thread's current context; null if it has none.
[[nodiscard]] inline Context* current_context() {
  const auto& contexts = ThreadState::of_caller().contexts;
  return contexts.empty() ? nullptr : contexts.back().get();
}

/// For calls about a context, with it, also after an error of its work: body(Context&).
template <typename Body>
CUresult call_with_current(Body&& body) noexcept {
  return call([&] {
    Context* const context = current_context();
    if (context == nullptr) {
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (context->closed()) {
      return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    }
    return body(*context);
  });
}

/// For calls that do something in the current context: the error of its work is theirs too.
template <typename Body>
CUresult call_in_context(Body&& body) noexcept {
  return call_with_current([&](Context& context) {
    const CUresult error = context.error();
    return error != CUDA_SUCCESS ? error : body(context);
  });
}

/// body(Object&) with the object that the handle means, or `otherwise`.
template <typename Table, typename Handle, typename Body>
CUresult with_object(Table& table, Handle handle, Body&& body,
                     CUresult otherwise = CUDA_ERROR_INVALID_HANDLE) {
  const auto object = table.find(handle);
  return object == nullptr ? otherwise : body(*object);
}

/// For calls about a device: body(Device&).
template <typename Body>
CUresult call_for_device(CUdevice ordinal, Body&& body) noexcept {
  return call([&] {
    Device* const device = Process::instance().device(ordinal);
    return device == nullptr ? CUDA_ERROR_INVALID_DEVICE : body(*device);
  });
}

/// For calls about a stream: body(Stream&).
template <typename Body>
CUresult call_for_stream(CUstream handle, Body&& body) noexcept {
  return call_in_context([&](Context& context) {
    Stream* const stream = context.stream(handle);
    if (stream == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    // A stream of another context can be asked and waited for, and has that context's error.
    const CUresult error = stream->group().error();
    return error != CUDA_SUCCESS ? error : body(*stream);
  });
}

/// An address of the program's as device code knows it.
[[nodiscard]] inline std::uint64_t bits(const void* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

/// Writes the result of a call, for which the program has to have a place.
template <typename Value>
CUresult deliver(Value* place, const std::type_identity_t<Value>& value) {
  if (place == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *place = value;
  return CUDA_SUCCESS;
}

/// Writes a result that the program may not want.
template <typename Value>
void give(Value* place, const Value& value) {
  if (place != nullptr) {
    *place = value;
  }
}

/// Writes the handle of a kernel; find(name) gives it, or null.
template <typename Handle, typename Find>
CUresult deliver_kernel(Handle* place, const char* name, const Find& find) {
  if (place == nullptr || name == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto kernel = find(name);
  return kernel == nullptr ? CUDA_ERROR_NOT_FOUND : deliver(place, kernel->handle());
}

/// Writes the handles of the first `count` kernels of the program.
template <typename Handle, typename Find>
CUresult deliver_kernels(Handle* places, unsigned count, const ptx::Program& program,
                         const Find& find) {
  if (places == nullptr || count == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (const std::string_view name : kernel_names(program)) {
    if (count-- == 0) {
      break;
    }
    *places++ = find(name)->handle();
  }
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver

/// An entry point that writes to `place` one property of the object that `handle` means.
#define GANTRY_CUDA_PROPERTY(name, parameters, call_for, value)                                    \
  GANTRY_CUDA_API name parameters {                                                                \
    return call_for(handle, [&](auto& object) { return deliver(place, value); });                  \
  }
