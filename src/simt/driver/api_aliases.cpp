// Entry points: the names of functions that have been replaced by a version with the same meaning.
// The oldest versions had sizes and addresses of 32 bits; programs that look a plain name up today
// mean the function as it is, so that is what they get.
#include "simt/driver/api.h"

GANTRY_CUDA_API cuCtxCreate(CUcontext* context, unsigned int flags, CUdevice device) {
  return cuCtxCreate_v2(context, flags, device);
}

GANTRY_CUDA_API cuCtxDestroy(CUcontext context) {
  return cuCtxDestroy_v2(context);
}

GANTRY_CUDA_API cuCtxPopCurrent(CUcontext* context) {
  return cuCtxPopCurrent_v2(context);
}

GANTRY_CUDA_API cuCtxPushCurrent(CUcontext context) {
  return cuCtxPushCurrent_v2(context);
}

GANTRY_CUDA_API cuDevicePrimaryCtxRelease(CUdevice device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}

GANTRY_CUDA_API cuDevicePrimaryCtxReset(CUdevice device) {
  return cuDevicePrimaryCtxReset_v2(device);
}

GANTRY_CUDA_API cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

GANTRY_CUDA_API cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return cuDeviceTotalMem_v2(bytes, device);
}

GANTRY_CUDA_API cuEventDestroy(CUevent event) {
  return cuEventDestroy_v2(event);
}

GANTRY_CUDA_API cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size,
                              const char* name, unsigned int option_count, CUjit_option* options,
                              void** values) {
  return cuLinkAddData_v2(state, type, data, size, name, option_count, options, values);
}

GANTRY_CUDA_API cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path,
                              unsigned int option_count, CUjit_option* options, void** values) {
  return cuLinkAddFile_v2(state, type, path, option_count, options, values);
}

GANTRY_CUDA_API cuLinkCreate(unsigned int option_count, CUjit_option* options, void** values,
                             CUlinkState* state) {
  return cuLinkCreate_v2(option_count, options, values, state);
}

GANTRY_CUDA_API cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  return cuMemAlloc_v2(address, bytes);
}

GANTRY_CUDA_API cuMemAllocHost(void** address, size_t bytes) {
  return cuMemAllocHost_v2(address, bytes);
}

GANTRY_CUDA_API cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width_bytes,
                                size_t height, unsigned int element_bytes) {
  return cuMemAllocPitch_v2(address, pitch, width_bytes, height, element_bytes);
}

GANTRY_CUDA_API cuMemFree(CUdeviceptr address) {
  return cuMemFree_v2(address);
}

GANTRY_CUDA_API cuMemGetAddressRange(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  return cuMemGetAddressRange_v2(base, size, address);
}

GANTRY_CUDA_API cuMemGetInfo(size_t* free, size_t* total) {
  return cuMemGetInfo_v2(free, total);
}

GANTRY_CUDA_API cuMemHostGetDevicePointer(CUdeviceptr* device_address, void* address,
                                          unsigned int flags) {
  return cuMemHostGetDevicePointer_v2(device_address, address, flags);
}

GANTRY_CUDA_API cuMemHostRegister(void* address, size_t bytes, unsigned int flags) {
  return cuMemHostRegister_v2(address, bytes, flags);
}

GANTRY_CUDA_API cuMemcpy2D(const CUDA_MEMCPY2D* copy) {
  return cuMemcpy2D_v2(copy);
}

GANTRY_CUDA_API cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return cuMemcpy2DAsync_v2(copy, stream);
}

GANTRY_CUDA_API cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) {
  return cuMemcpy2DUnaligned_v2(copy);
}

GANTRY_CUDA_API cuMemcpy3D(const CUDA_MEMCPY3D* copy) {
  return cuMemcpy3D_v2(copy);
}

GANTRY_CUDA_API cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return cuMemcpy3DAsync_v2(copy, stream);
}

GANTRY_CUDA_API cuMemcpyDtoD(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  return cuMemcpyDtoD_v2(destination, source, bytes);
}

GANTRY_CUDA_API cuMemcpyDtoDAsync(CUdeviceptr destination, CUdeviceptr source, size_t bytes,
                                  CUstream stream) {
  return cuMemcpyDtoDAsync_v2(destination, source, bytes, stream);
}

GANTRY_CUDA_API cuMemcpyDtoH(void* destination, CUdeviceptr source, size_t bytes) {
  return cuMemcpyDtoH_v2(destination, source, bytes);
}

GANTRY_CUDA_API cuMemcpyDtoHAsync(void* destination, CUdeviceptr source, size_t bytes,
                                  CUstream stream) {
  return cuMemcpyDtoHAsync_v2(destination, source, bytes, stream);
}

GANTRY_CUDA_API cuMemcpyHtoD(CUdeviceptr destination, const void* source, size_t bytes) {
  return cuMemcpyHtoD_v2(destination, source, bytes);
}

GANTRY_CUDA_API cuMemcpyHtoDAsync(CUdeviceptr destination, const void* source, size_t bytes,
                                  CUstream stream) {
  return cuMemcpyHtoDAsync_v2(destination, source, bytes, stream);
}

GANTRY_CUDA_API cuMemsetD16(CUdeviceptr destination, unsigned short value, size_t count) {
  return cuMemsetD16_v2(destination, value, count);
}

GANTRY_CUDA_API cuMemsetD2D16(CUdeviceptr destination, size_t pitch, unsigned short value,
                              size_t width, size_t height) {
  return cuMemsetD2D16_v2(destination, pitch, value, width, height);
}

GANTRY_CUDA_API cuMemsetD2D32(CUdeviceptr destination, size_t pitch, unsigned int value,
                              size_t width, size_t height) {
  return cuMemsetD2D32_v2(destination, pitch, value, width, height);
}

GANTRY_CUDA_API cuMemsetD2D8(CUdeviceptr destination, size_t pitch, unsigned char value,
                             size_t width, size_t height) {
  return cuMemsetD2D8_v2(destination, pitch, value, width, height);
}

GANTRY_CUDA_API cuMemsetD32(CUdeviceptr destination, unsigned int value, size_t count) {
  return cuMemsetD32_v2(destination, value, count);
}

GANTRY_CUDA_API cuMemsetD8(CUdeviceptr destination, unsigned char value, size_t count) {
  return cuMemsetD8_v2(destination, value, count);
}

GANTRY_CUDA_API cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module,
                                  const char* name) {
  return cuModuleGetGlobal_v2(address, bytes, module, name);
}

GANTRY_CUDA_API cuStreamDestroy(CUstream stream) {
  return cuStreamDestroy_v2(stream);
}
