// Entry points: modules and links.
#include "simt/driver/api.h"
#include "simt/driver/jit_options.h"
#include "simt/driver/link_state.h"
#include "simt/driver/messages.h"
#include "simt/driver/module.h"

#include <chrono>
#include <string>

using namespace gantry::simt::driver;

namespace {

using Clock = std::chrono::steady_clock;

template <typename Image>
CUresult load_module(Context& context, const Image& image, JitOptions& options, CUmodule* result) {
  const auto start = Clock::now();
  const auto module = load_image(image, context.device()).and_then([&](ProgramPointer program) {
    return Module::create(context, std::move(program));
  });
  options.write_time(Clock::now() - start);
  if (!module) {
    report_image_error(module.error(), options);
    return module.error().code;
  }
  *result = (*module)->handle();
  return CUDA_SUCCESS;
}

CUresult load_data(CUmodule* result, const void* image, unsigned count, CUjit_option* options,
                   void** values) {
  return call_in_context([&](Context& context) {
    JitOptions jit;
    if (const CUresult read = JitOptions::read(count, options, values, jit); read != CUDA_SUCCESS) {
      return read;
    }
    if (result == nullptr || image == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return load_module(context, image, jit, result);
  });
}

/// body(Module&)
template <typename Body>
CUresult call_for_module(CUmodule handle, Body&& body) noexcept {
  return call_in_context([&](Context&) { return with_object(handles().modules, handle, body); });
}

/// body(LinkState&)
template <typename Body>
CUresult call_for_link(CUlinkState handle, Body&& body) noexcept {
  return call([&] { return with_object(handles().link_states, handle, body); });
}

std::string name_or(const char* name, const char* otherwise) {
  return name != nullptr && *name != '\0' ? name : otherwise;
}

} // namespace

GANTRY_CUDA_API cuModuleLoad(CUmodule* result, const char* path) {
  return call_in_context([&](Context& context) {
    if (result == nullptr || path == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto content = read_file(path);
    if (!content) {
      return content.error();
    }
    JitOptions options;
    return load_module(context, std::as_bytes(std::span(*content)), options, result);
  });
}

GANTRY_CUDA_API cuModuleLoadData(CUmodule* result, const void* image) {
  return load_data(result, image, 0, nullptr, nullptr);
}

GANTRY_CUDA_API cuModuleLoadDataEx(CUmodule* result, const void* image, unsigned int count,
                                   CUjit_option* options, void** values) {
  return load_data(result, image, count, options, values);
}

GANTRY_CUDA_API cuModuleLoadFatBinary(CUmodule* result, const void* image) {
  return load_data(result, image, 0, nullptr, nullptr);
}

GANTRY_CUDA_API cuModuleUnload(CUmodule handle) {
  return call_in_context([&](Context& context) {
    // Its kernels may run still.
    const CUresult error = context.synchronize();
    const std::shared_ptr<Module> module = handles().modules.erase(handle);
    if (module == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    context.forget(handle);
    module->unload();
    return error;
  });
}

GANTRY_CUDA_API cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return call([&] { return deliver(mode, CU_MODULE_LAZY_LOADING); });
}

GANTRY_CUDA_API cuModuleGetFunction(CUfunction* result, CUmodule handle, const char* name) {
  return call_for_module(handle, [&](Module& module) {
    return deliver_kernel(result, name,
                          [&](std::string_view wanted) { return module.function(wanted); });
  });
}

GANTRY_CUDA_PROPERTY(cuModuleGetFunctionCount, (unsigned int* place, CUmodule handle),
                     call_for_module,
                     static_cast<unsigned>(object.program().program().entry_names.size()))

GANTRY_CUDA_API cuModuleEnumerateFunctions(CUfunction* functions, unsigned int count,
                                           CUmodule handle) {
  return call_for_module(handle, [&](Module& module) {
    return deliver_kernels(functions, count, module.program().program(),
                           [&](std::string_view name) { return module.function(name); });
  });
}

GANTRY_CUDA_API cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule handle,
                                     const char* name) {
  return call_for_module(
      handle, [&](Module& module) { return module.find_variable(name, address, bytes); });
}

GANTRY_CUDA_API cuLinkCreate_v2(unsigned int count, CUjit_option* options, void** values,
                                CUlinkState* result) {
  return call_in_context([&](Context& context) {
    JitOptions jit;
    if (const CUresult read = JitOptions::read(count, options, values, jit); read != CUDA_SUCCESS) {
      return read;
    }
    if (result == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *result = handles().link_states.insert(std::make_shared<LinkState>(context.device(), jit));
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuLinkAddData_v2(CUlinkState handle, CUjitInputType type, void* data, size_t size,
                                 const char* name, unsigned int count, CUjit_option* options,
                                 void** values) {
  return call_for_link(handle, [&](LinkState& state) {
    if (data == nullptr || size == 0 || (count != 0 && (options == nullptr || values == nullptr))) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return state.add(type, {static_cast<const std::byte*>(data), size},
                     name_or(name, "application ptx input"));
  });
}

GANTRY_CUDA_API cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type, const char* path,
                                 unsigned int count, CUjit_option* options, void** values) {
  return call_for_link(handle, [&](LinkState& state) {
    if (path == nullptr || (count != 0 && (options == nullptr || values == nullptr))) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto content = read_file(path);
    if (!content) {
      return content.error();
    }
    return state.add(type, std::as_bytes(std::span(*content)), path);
  });
}

GANTRY_CUDA_API cuLinkComplete(CUlinkState handle, void** image, size_t* size) {
  return call_for_link(handle, [&](LinkState& state) {
    if (image == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    std::span<const std::byte> linked;
    if (const CUresult result = state.complete(linked); result != CUDA_SUCCESS) {
      return result;
    }
    *image = const_cast<std::byte*>(linked.data());
    give(size, linked.size());
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuLinkDestroy(CUlinkState handle) {
  return call([&] {
    return handles().link_states.erase(handle) == nullptr ? CUDA_ERROR_INVALID_HANDLE
                                                          : CUDA_SUCCESS;
  });
}
