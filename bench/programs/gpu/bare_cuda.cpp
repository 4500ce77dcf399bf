// NVIDIA's driver, libcuda.so.1, or what GPU_TABLE_DRIVER names.
#include "bare_device.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <dlfcn.h>
#include <gantry/cuda_driver.h>

namespace {

#define CALLS(X)                                                                                   \
  X(cuInit)                                                                                        \
  X(cuDevicePrimaryCtxRetain)                                                                      \
  X(cuCtxSetCurrent)                                                                               \
  X(cuCtxSynchronize)                                                                              \
  X(cuModuleLoadData)                                                                              \
  X(cuModuleGetFunction)                                                                           \
  X(cuStreamCreate)                                                                                \
  X(cuStreamSynchronize)                                                                           \
  X(cuLaunchKernel)                                                                                \
  X(cuMemHostAlloc)                                                                                \
  X(cuMemcpyHtoD_v2)                                                                               \
  X(cuMemcpyDtoH_v2)                                                                               \
  X(cuMemcpyDtoD_v2)

struct Driver {
#define POINTER(name) decltype(&::name) name;
  CALLS(POINTER)
};

Driver open_driver() {
  const char* const path = std::getenv("GPU_TABLE_DRIVER");
  void* const library = dlopen(path != nullptr ? path : "libcuda.so.1", RTLD_NOW);
  if (library == nullptr) {
    fail(dlerror());
  }
  Driver driver = {};
#define LOOK_UP(name) driver.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));
  CALLS(LOOK_UP)
  return driver;
}

void check(CUresult result) {
  if (result != CUDA_SUCCESS) {
    fail(("the driver says error " + std::to_string(static_cast<int>(result))).c_str());
  }
}

CUdeviceptr address(const void* device) {
  return reinterpret_cast<CUdeviceptr>(device);
}

class CudaDevice final : public BareDevice {
public:
  explicit CudaDevice(const char* ptx) : driver_(open_driver()) {
    check(driver_.cuInit(0));
    CUcontext context = nullptr;
    check(driver_.cuDevicePrimaryCtxRetain(&context, 0));
    check(driver_.cuCtxSetCurrent(context));
    std::ifstream file(ptx);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    CUmodule module = nullptr;
    check(driver_.cuModuleLoadData(&module, text.c_str()));
    check(driver_.cuModuleGetFunction(&empty_, module, "empty"));
    check(driver_.cuModuleGetFunction(&multiply_, module, "multiply"));
    check(driver_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
  }

  void launch_empty() override {
    check(driver_.cuLaunchKernel(empty_, 1, 1, 1, kThreads, 1, 1, 0, stream_, nullptr, nullptr));
    check(driver_.cuStreamSynchronize(stream_));
  }
  void multiply(double* c, const double* a, const double* b, long n) override {
    void* arguments[] = {&c, &a, &b, &n};
    check(driver_.cuLaunchKernel(multiply_, blocks(n), 1, 1, kThreads, 1, 1, 0, stream_, arguments,
                                 nullptr));
    check(driver_.cuStreamSynchronize(stream_));
  }
  void copy_to(void* device, const void* host, std::size_t size) override {
    check(driver_.cuMemcpyHtoD_v2(address(device), host, size));
  }
  void copy_from(void* host, const void* device, std::size_t size) override {
    check(driver_.cuMemcpyDtoH_v2(host, address(device), size));
  }
  void copy_inside(void* to, const void* from, std::size_t size) override {
    check(driver_.cuMemcpyDtoD_v2(address(to), address(from), size));
    check(driver_.cuCtxSynchronize());
  }
  void* pinned(std::size_t size) override {
    void* memory = nullptr;
    check(driver_.cuMemHostAlloc(&memory, size, 0));
    return memory;
  }

private:
  Driver driver_;
  CUfunction empty_ = nullptr, multiply_ = nullptr;
  CUstream stream_ = nullptr;
};

} // namespace

std::unique_ptr<BareDevice> BareDevice::open(int /*count*/, char** files) {
  return std::make_unique<CudaDevice>(files[0]); // PTX is for all
}
