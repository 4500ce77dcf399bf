// Entry points: libraries and their kernels.
#include "simt/driver/api.h"
#include "simt/driver/jit_options.h"
#include "simt/driver/library.h"
#include "simt/driver/messages.h"
#include "simt/driver/module.h"

#include <chrono>

using namespace gantry::simt::driver;

namespace {

using Clock = std::chrono::steady_clock;

/// `image` gives the bytes, or an error.
template <typename Load>
CUresult load_library(CUlibrary* result, CUjit_option* options, void** values, unsigned count,
                      Load&& image) {
  return call([&] {
    JitOptions jit;
    if (const CUresult read = JitOptions::read(count, options, values, jit); read != CUDA_SUCCESS) {
      return read;
    }
    if (result == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto start = Clock::now();
    auto program = image(*Process::instance().device(0));
    jit.write_time(Clock::now() - start);
    if (!program) {
      report_image_error(program.error(), jit);
      return program.error().code;
    }
    *result = Library::create(std::move(*program))->handle();
    return CUDA_SUCCESS;
  });
}

/// body(Library&)
template <typename Body>
CUresult call_for_library(CUlibrary handle, Body&& body) noexcept {
  return call([&] { return with_object(handles().libraries, handle, body); });
}

/// body(Module&) for the library's module in the current context.
template <typename Body>
CUresult call_for_module_of(CUlibrary handle, Body&& body) noexcept {
  return call_in_context([&](Context& context) {
    return with_object(handles().libraries, handle, [&](Library& library) {
      const auto module = library.module_in(context);
      return module ? body(**module) : module.error().code;
    });
  });
}

/// body(Kernel&)
template <typename Body>
CUresult call_for_kernel(CUkernel handle, Body&& body) noexcept {
  return call([&] { return with_object(handles().kernels, handle, body); });
}

/// body(Function&) for the kernel in a context.
template <typename Body>
CUresult with_function(CUkernel handle, Context& context, Body&& body) {
  return with_object(handles().kernels, handle, [&](Kernel& kernel) {
    const std::shared_ptr<Function> function = kernel.function_in(context);
    return function == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*function);
  });
}

/// body(Function&) for the kernel in the current context, which is to be one of the device.
template <typename Body>
CUresult call_for_function_of(CUkernel handle, CUdevice device, Body&& body) noexcept {
  return call_in_context([&](Context& context) {
    if (device != context.device().ordinal()) {
      return Process::instance().device(device) == nullptr ? CUDA_ERROR_INVALID_DEVICE
                                                           : CUDA_ERROR_INVALID_CONTEXT;
    }
    return with_function(handle, context, body);
  });
}

} // namespace

GANTRY_CUDA_API cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option* jit_options,
                                  void** jit_values, unsigned int jit_count,
                                  CUlibraryOption* options, void** values,
                                  unsigned int option_count) {
  if (image == nullptr || (option_count != 0 && (options == nullptr || values == nullptr))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return load_library(library, jit_options, jit_values, jit_count,
                      [&](const Device& device) { return load_image(image, device); });
}

GANTRY_CUDA_API cuLibraryLoadFromFile(CUlibrary* library, const char* path,
                                      CUjit_option* jit_options, void** jit_values,
                                      unsigned int jit_count, CUlibraryOption* options,
                                      void** values, unsigned int option_count) {
  if (path == nullptr || (option_count != 0 && (options == nullptr || values == nullptr))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return load_library(library, jit_options, jit_values, jit_count,
                      [&](const Device& device) -> ImageResult<ProgramPointer> {
                        const auto content = read_file(path);
                        if (!content) {
                          return tl::unexpected(
                              ImageError{content.error(), std::string(path) + " cannot be read\n"});
                        }
                        return load_image(std::as_bytes(std::span(*content)), device);
                      });
}

GANTRY_CUDA_API cuLibraryUnload(CUlibrary handle) {
  return call([&] {
    const std::shared_ptr<Library> library = handles().libraries.erase(handle);
    if (library == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    library->unload();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuLibraryGetKernel(CUkernel* result, CUlibrary handle, const char* name) {
  return call_for_library(handle, [&](Library& library) {
    return deliver_kernel(result, name,
                          [&](std::string_view wanted) { return library.kernel(wanted); });
  });
}

GANTRY_CUDA_PROPERTY(cuLibraryGetKernelCount, (unsigned int* place, CUlibrary handle),
                     call_for_library, static_cast<unsigned>(object.program().entry_names.size()))

GANTRY_CUDA_API cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int count, CUlibrary handle) {
  return call_for_library(handle, [&](Library& library) {
    return deliver_kernels(kernels, count, library.program(),
                           [&](std::string_view name) { return library.kernel(name); });
  });
}

GANTRY_CUDA_PROPERTY(cuLibraryGetModule, (CUmodule * place, CUlibrary handle), call_for_module_of,
                     object.handle())

GANTRY_CUDA_API cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary handle,
                                   const char* name) {
  return call_for_module_of(
      handle, [&](Module& module) { return module.find_variable(name, address, bytes); });
}

GANTRY_CUDA_API cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary handle,
                                    const char* name) {
  return call_for_module_of(handle, [&](Module& module) {
    const CUresult found = module.find_variable(name, address, bytes);
    return found == CUDA_SUCCESS && !module.is_managed(name) ? CUDA_ERROR_NOT_FOUND : found;
  });
}

GANTRY_CUDA_API cuLibraryGetUnifiedFunction(void** /*function*/, CUlibrary handle,
                                            const char* /*name*/) {
  // The device says that it has none (CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS).
  return call_for_library(handle, [](Library&) { return CUDA_ERROR_INVALID_VALUE; });
}

GANTRY_CUDA_API cuKernelGetFunction(CUfunction* result, CUkernel handle) {
  return call_in_context([&](Context& context) {
    if (result == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return with_function(handle, context,
                         [&](Function& function) { return deliver(result, function.handle()); });
  });
}

GANTRY_CUDA_API cuKernelGetLibrary(CUlibrary* result, CUkernel handle) {
  return call_for_kernel(handle, [&](Kernel& kernel) {
    const std::shared_ptr<Library> library = kernel.library();
    if (result == nullptr || library == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *result = library->handle();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_PROPERTY(cuKernelGetName, (const char** place, CUkernel handle), call_for_kernel,
                     object.name())

GANTRY_CUDA_API cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                                     CUdevice device) {
  return call_for_function_of(kernel, device, [&](Function& function) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : function.attribute(attribute, *value);
  });
}

GANTRY_CUDA_API cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                     CUdevice device) {
  return call_for_function_of(
      kernel, device, [&](Function& function) { return function.set_attribute(attribute, value); });
}

GANTRY_CUDA_API cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  return call_for_function_of(kernel, device, [&](Function&) {
    return config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuKernelGetParamInfo(CUkernel handle, size_t index, size_t* offset, size_t* size) {
  CUfunction function = nullptr;
  const CUresult result = cuKernelGetFunction(&function, handle);
  return result != CUDA_SUCCESS ? result : cuFuncGetParamInfo(function, index, offset, size);
}
