// Entry points: the functions of streams as programs call them that were compiled with
// --default-stream=per-thread. The null stream is the calling thread's own default stream.
#include "simt/driver/api.h"

using gantry::simt::driver::PerThreadDefault;

GANTRY_CUDA_API cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned int flags) {
  const PerThreadDefault scope;
  return cuEventRecordWithFlags(event, stream, flags);
}

GANTRY_CUDA_API cuEventRecord_ptsz(CUevent event, CUstream stream) {
  const PerThreadDefault scope;
  return cuEventRecord(event, stream);
}

GANTRY_CUDA_API cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned int grid_x,
                                               unsigned int grid_y, unsigned int grid_z,
                                               unsigned int block_x, unsigned int block_y,
                                               unsigned int block_z, unsigned int shared_bytes,
                                               CUstream stream, void** parameters) {
  const PerThreadDefault scope;
  return cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                   shared_bytes, stream, parameters);
}

GANTRY_CUDA_API cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void* argument) {
  const PerThreadDefault scope;
  return cuLaunchHostFunc(stream, function, argument);
}

GANTRY_CUDA_API cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction function,
                                      void** parameters, void** extra) {
  const PerThreadDefault scope;
  return cuLaunchKernelEx(config, function, parameters, extra);
}

GANTRY_CUDA_API cuLaunchKernel_ptsz(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                    unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                    unsigned int block_z, unsigned int shared_bytes,
                                    CUstream stream, void** parameters, void** extra) {
  const PerThreadDefault scope;
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                        stream, parameters, extra);
}

GANTRY_CUDA_API cuMemAllocAsync_ptsz(CUdeviceptr* address, size_t bytes, CUstream stream) {
  const PerThreadDefault scope;
  return cuMemAllocAsync(address, bytes, stream);
}

GANTRY_CUDA_API cuMemAllocFromPoolAsync_ptsz(CUdeviceptr* address, size_t bytes, CUmemoryPool pool,
                                             CUstream stream) {
  const PerThreadDefault scope;
  return cuMemAllocFromPoolAsync(address, bytes, pool, stream);
}

GANTRY_CUDA_API cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
  const PerThreadDefault scope;
  return cuMemFreeAsync(address, stream);
}

GANTRY_CUDA_API cuMemPrefetchAsync_ptsz(CUdeviceptr address, size_t bytes, CUdevice device,
                                        CUstream stream) {
  const PerThreadDefault scope;
  return cuMemPrefetchAsync(address, bytes, device, stream);
}

GANTRY_CUDA_API cuMemPrefetchAsync_v2_ptsz(CUdeviceptr address, size_t bytes,
                                           CUmemLocation location, unsigned int flags,
                                           CUstream stream) {
  const PerThreadDefault scope;
  return cuMemPrefetchAsync_v2(address, bytes, location, flags, stream);
}

GANTRY_CUDA_API cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D* copy, CUstream stream) {
  const PerThreadDefault scope;
  return cuMemcpy2DAsync_v2(copy, stream);
}

GANTRY_CUDA_API cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D* copy) {
  const PerThreadDefault scope;
  return cuMemcpy2DUnaligned_v2(copy);
}

GANTRY_CUDA_API cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D* copy) {
  const PerThreadDefault scope;
  return cuMemcpy2D_v2(copy);
}

GANTRY_CUDA_API cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D* copy, CUstream stream) {
  const PerThreadDefault scope;
  return cuMemcpy3DAsync_v2(copy, stream);
}

GANTRY_CUDA_API cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
  const PerThreadDefault scope;
  return cuMemcpy3DPeerAsync(copy, stream);
}

GANTRY_CUDA_API cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER* copy) {
  const PerThreadDefault scope;
  return cuMemcpy3DPeer(copy);
}

GANTRY_CUDA_API cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D* copy) {
  const PerThreadDefault scope;
  return cuMemcpy3D_v2(copy);
}

GANTRY_CUDA_API cuMemcpyAsync_ptsz(CUdeviceptr destination, CUdeviceptr source, size_t bytes,
                                   CUstream stream) {
  const PerThreadDefault scope;
  return cuMemcpyAsync(destination, source, bytes, stream);
}

GANTRY_CUDA_API cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr destination, CUdeviceptr source, size_t bytes,
                                          CUstream stream) {
  const PerThreadDefault scope;
  return cuMemcpyDtoDAsync_v2(destination, source, bytes, stream);
}

GANTRY_CUDA_API cuMemcpyDtoD_v2_ptds(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  const PerThreadDefault scope;
  return cuMemcpyDtoD_v2(destination, source, bytes);
}

GANTRY_CUDA_API cuMemcpyDtoHAsync_v2_ptsz(void* destination, CUdeviceptr source, size_t bytes,
                                          CUstream stream) {
  const PerThreadDefault scope;
  return cuMemcpyDtoHAsync_v2(destination, source, bytes, stream);
}

GANTRY_CUDA_API cuMemcpyDtoH_v2_ptds(void* destination, CUdeviceptr source, size_t bytes) {
  const PerThreadDefault scope;
  return cuMemcpyDtoH_v2(destination, source, bytes);
}

GANTRY_CUDA_API cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr destination, const void* source, size_t bytes,
                                          CUstream stream) {
  const PerThreadDefault scope;
  return cuMemcpyHtoDAsync_v2(destination, source, bytes, stream);
}

GANTRY_CUDA_API cuMemcpyHtoD_v2_ptds(CUdeviceptr destination, const void* source, size_t bytes) {
  const PerThreadDefault scope;
  return cuMemcpyHtoD_v2(destination, source, bytes);
}

GANTRY_CUDA_API cuMemcpyPeerAsync_ptsz(CUdeviceptr destination, CUcontext destination_context,
                                       CUdeviceptr source, CUcontext source_context, size_t bytes,
                                       CUstream stream) {
  const PerThreadDefault scope;
  return cuMemcpyPeerAsync(destination, destination_context, source, source_context, bytes, stream);
}

GANTRY_CUDA_API cuMemcpyPeer_ptds(CUdeviceptr destination, CUcontext destination_context,
                                  CUdeviceptr source, CUcontext source_context, size_t bytes) {
  const PerThreadDefault scope;
  return cuMemcpyPeer(destination, destination_context, source, source_context, bytes);
}

GANTRY_CUDA_API cuMemcpy_ptds(CUdeviceptr destination, CUdeviceptr source, size_t bytes) {
  const PerThreadDefault scope;
  return cuMemcpy(destination, source, bytes);
}

GANTRY_CUDA_API cuMemsetD16Async_ptsz(CUdeviceptr destination, unsigned short value, size_t count,
                                      CUstream stream) {
  const PerThreadDefault scope;
  return cuMemsetD16Async(destination, value, count, stream);
}

GANTRY_CUDA_API cuMemsetD16_v2_ptds(CUdeviceptr destination, unsigned short value, size_t count) {
  const PerThreadDefault scope;
  return cuMemsetD16_v2(destination, value, count);
}

GANTRY_CUDA_API cuMemsetD2D16Async_ptsz(CUdeviceptr destination, size_t pitch, unsigned short value,
                                        size_t width, size_t height, CUstream stream) {
  const PerThreadDefault scope;
  return cuMemsetD2D16Async(destination, pitch, value, width, height, stream);
}

GANTRY_CUDA_API cuMemsetD2D16_v2_ptds(CUdeviceptr destination, size_t pitch, unsigned short value,
                                      size_t width, size_t height) {
  const PerThreadDefault scope;
  return cuMemsetD2D16_v2(destination, pitch, value, width, height);
}

GANTRY_CUDA_API cuMemsetD2D32Async_ptsz(CUdeviceptr destination, size_t pitch, unsigned int value,
                                        size_t width, size_t height, CUstream stream) {
  const PerThreadDefault scope;
  return cuMemsetD2D32Async(destination, pitch, value, width, height, stream);
}

GANTRY_CUDA_API cuMemsetD2D32_v2_ptds(CUdeviceptr destination, size_t pitch, unsigned int value,
                                      size_t width, size_t height) {
  const PerThreadDefault scope;
  return cuMemsetD2D32_v2(destination, pitch, value, width, height);
}

GANTRY_CUDA_API cuMemsetD2D8Async_ptsz(CUdeviceptr destination, size_t pitch, unsigned char value,
                                       size_t width, size_t height, CUstream stream) {
  const PerThreadDefault scope;
  return cuMemsetD2D8Async(destination, pitch, value, width, height, stream);
}

GANTRY_CUDA_API cuMemsetD2D8_v2_ptds(CUdeviceptr destination, size_t pitch, unsigned char value,
                                     size_t width, size_t height) {
  const PerThreadDefault scope;
  return cuMemsetD2D8_v2(destination, pitch, value, width, height);
}

GANTRY_CUDA_API cuMemsetD32Async_ptsz(CUdeviceptr destination, unsigned int value, size_t count,
                                      CUstream stream) {
  const PerThreadDefault scope;
  return cuMemsetD32Async(destination, value, count, stream);
}

GANTRY_CUDA_API cuMemsetD32_v2_ptds(CUdeviceptr destination, unsigned int value, size_t count) {
  const PerThreadDefault scope;
  return cuMemsetD32_v2(destination, value, count);
}

GANTRY_CUDA_API cuMemsetD8Async_ptsz(CUdeviceptr destination, unsigned char value, size_t count,
                                     CUstream stream) {
  const PerThreadDefault scope;
  return cuMemsetD8Async(destination, value, count, stream);
}

GANTRY_CUDA_API cuMemsetD8_v2_ptds(CUdeviceptr destination, unsigned char value, size_t count) {
  const PerThreadDefault scope;
  return cuMemsetD8_v2(destination, value, count);
}

GANTRY_CUDA_API cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void* argument,
                                         unsigned int flags) {
  const PerThreadDefault scope;
  return cuStreamAddCallback(stream, callback, argument, flags);
}

GANTRY_CUDA_API cuStreamAttachMemAsync_ptsz(CUstream stream, CUdeviceptr address, size_t bytes,
                                            unsigned int flags) {
  const PerThreadDefault scope;
  return cuStreamAttachMemAsync(stream, address, bytes, flags);
}

GANTRY_CUDA_API cuStreamGetCtx_ptsz(CUstream stream, CUcontext* context) {
  const PerThreadDefault scope;
  return cuStreamGetCtx(stream, context);
}

GANTRY_CUDA_API cuStreamGetDevice_ptsz(CUstream stream, CUdevice* device) {
  const PerThreadDefault scope;
  return cuStreamGetDevice(stream, device);
}

GANTRY_CUDA_API cuStreamGetFlags_ptsz(CUstream stream, unsigned int* flags) {
  const PerThreadDefault scope;
  return cuStreamGetFlags(stream, flags);
}

GANTRY_CUDA_API cuStreamGetId_ptsz(CUstream stream, unsigned long long* id) {
  const PerThreadDefault scope;
  return cuStreamGetId(stream, id);
}

GANTRY_CUDA_API cuStreamGetPriority_ptsz(CUstream stream, int* priority) {
  const PerThreadDefault scope;
  return cuStreamGetPriority(stream, priority);
}

GANTRY_CUDA_API cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus* status) {
  const PerThreadDefault scope;
  return cuStreamIsCapturing(stream, status);
}

GANTRY_CUDA_API cuStreamQuery_ptsz(CUstream stream) {
  const PerThreadDefault scope;
  return cuStreamQuery(stream);
}

GANTRY_CUDA_API cuStreamSynchronize_ptsz(CUstream stream) {
  const PerThreadDefault scope;
  return cuStreamSynchronize(stream);
}

GANTRY_CUDA_API cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned int flags) {
  const PerThreadDefault scope;
  return cuStreamWaitEvent(stream, event, flags);
}
