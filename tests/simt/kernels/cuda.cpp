#include "cuda.h"

#include <cstdlib>
#include <dlfcn.h>

namespace gantry::simt::testing {

namespace {

std::string library_at(const std::string& path) {
  if (!path.empty()) {
    return path;
  }
  const char* const set = std::getenv("GANTRY_SIMT_LIBCUDA");
  return set != nullptr && *set != '\0' ? set : "libcuda.so.1";
}

} // namespace

Driver::Driver(const std::string& path) {
  const std::string library = library_at(path);
  // Never closed: a driver has threads and handlers of its own.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw std::runtime_error(dlerror());
  }
#define GANTRY_CUDA_LOOK_UP(result, name, parameters)                                              \
  entries_.name = reinterpret_cast<decltype(entries_.name)>(dlsym(handle, #name));
  GANTRY_CUDA_ENTRIES(GANTRY_CUDA_LOOK_UP)
#undef GANTRY_CUDA_LOOK_UP
  if (entries_.cuInit == nullptr || entries_.cuDevicePrimaryCtxRetain == nullptr) {
    throw std::runtime_error(library + " is no CUDA driver");
  }
  GANTRY_CUDA_CALL(*this, cuInit, 0);
  GANTRY_CUDA_CALL(*this, cuDeviceGet, &device_, 0);
  CUcontext context = nullptr;
  GANTRY_CUDA_CALL(*this, cuDevicePrimaryCtxRetain, &context, device_);
  GANTRY_CUDA_CALL(*this, cuCtxSetCurrent, context);
}

Driver::~Driver() {
  entries_.cuDevicePrimaryCtxRelease_v2(device_);
}

void Driver::check(CUresult result, const char* call) const {
  if (result == CUDA_SUCCESS) {
    return;
  }
  const char* name = nullptr;
  const char* text = nullptr;
  entries_.cuGetErrorName(result, &name);
  entries_.cuGetErrorString(result, &text);
  throw CudaError(std::string(call) + " returned " + (name != nullptr ? name : "an unknown error") +
                      " (" + std::to_string(result) + "): " + (text != nullptr ? text : ""),
                  result);
}

void Driver::synchronize() const {
  GANTRY_CUDA_CALL(*this, cuCtxSynchronize, );
}

std::string Driver::device_name() const {
  std::array<char, 256> name = {};
  GANTRY_CUDA_CALL(*this, cuDeviceGetName, name.data(), static_cast<int>(name.size()), device_);
  return name.data();
}

int Driver::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  GANTRY_CUDA_CALL(*this, cuDeviceGetAttribute, &value, attribute, device_);
  return value;
}

void Kernel::launch_with(const Shape& shape, void** arguments) {
  if (shape.cluster.x != 0) {
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
    CUlaunchConfig config = {};
    config.gridDimX = shape.grid.x;
    config.gridDimY = shape.grid.y;
    config.gridDimZ = shape.grid.z;
    config.blockDimX = shape.block.x;
    config.blockDimY = shape.block.y;
    config.blockDimZ = shape.block.z;
    config.sharedMemBytes = shape.dynamic_shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    GANTRY_CUDA_CALL(driver_, cuLaunchKernelEx, &config, function_, arguments, nullptr);
  } else if (shape.cooperative) {
    GANTRY_CUDA_CALL(driver_, cuLaunchCooperativeKernel, function_, shape.grid.x, shape.grid.y,
                     shape.grid.z, shape.block.x, shape.block.y, shape.block.z,
                     shape.dynamic_shared, nullptr, arguments);
  } else {
    GANTRY_CUDA_CALL(driver_, cuLaunchKernel, function_, shape.grid.x, shape.grid.y, shape.grid.z,
                     shape.block.x, shape.block.y, shape.block.z, shape.dynamic_shared, nullptr,
                     arguments, nullptr);
  }
  driver_.synchronize();
}

Module::Module(Driver& driver, const std::string& ptx) : driver_(driver) {
  std::vector<char> log(16384);
  std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                         CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  const CUresult result = driver_.entries().cuModuleLoadDataEx(
      &module_, ptx.c_str(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (result != CUDA_SUCCESS) {
    log.back() = '\0';
    throw CudaError("cuModuleLoadDataEx returned " + std::to_string(result) + ": " + log.data(),
                    result);
  }
}

Module::~Module() {
  driver_.entries().cuModuleUnload(module_);
}

Kernel Module::kernel(const char* name) {
  CUfunction function = nullptr;
  GANTRY_CUDA_CALL(driver_, cuModuleGetFunction, &function, module_, name);
  return {driver_, function};
}

CUdeviceptr Module::find(const char* variable, std::size_t size) {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  GANTRY_CUDA_CALL(driver_, cuModuleGetGlobal_v2, &address, &bytes, module_, variable);
  if (bytes != size) {
    throw std::runtime_error(std::string(variable) + " has " + std::to_string(bytes) +
                             " bytes, not " + std::to_string(size));
  }
  return address;
}

} // namespace gantry::simt::testing
