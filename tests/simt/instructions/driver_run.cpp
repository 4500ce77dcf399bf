#include "driver_run.h"

#include "../kernels/cuda.h"

#include <cstring>
#include <list>
#include <regex>

#include <fmt/format.h>

namespace gantry::simt::instructions {

namespace {

using testing::CudaError;
using testing::Driver;
using Buffer = testing::DeviceBuffer<std::byte>;

void lower_target(std::string& text, const Driver& driver) {
  const int device = driver.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                     driver.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  std::smatch target;
  if (std::regex_search(text, target, std::regex("\\.target sm_([0-9]+)")) &&
      std::stoi(target[1]) > device) {
    text.replace(static_cast<std::size_t>(target.position(1)),
                 static_cast<std::size_t>(target.length(1)), std::to_string(device));
  }
}

void launch(const Driver& driver, CUfunction kernel, const exec::LaunchShape& shape,
            std::vector<void*>& parameters) {
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {shape.cluster[0], shape.cluster[1], shape.cluster[2]};
  CUlaunchConfig config = {};
  config.gridDimX = shape.grid[0];
  config.gridDimY = shape.grid[1];
  config.gridDimZ = shape.grid[2];
  config.blockDimX = shape.block[0];
  config.blockDimY = shape.block[1];
  config.blockDimZ = shape.block[2];
  config.sharedMemBytes = shape.dynamic_shared;
  config.attrs = &cluster;
  config.numAttrs = shape.in_clusters ? 1 : 0;
  GANTRY_CUDA_CALL(driver, cuLaunchKernelEx, &config, kernel, parameters.data(), nullptr);
  driver.synchronize();
}

} // namespace

DriverRun run_on_driver(const std::string& path, std::string text, const exec::LaunchShape& shape,
                        std::vector<void*> parameters, const std::vector<Copied>& memory,
                        const char* variable, std::span<std::byte> contents) {
  static auto* const driver = new Driver(path);
  lower_target(text, *driver);
  try {
    testing::Module module(*driver, text);
    const CUfunction kernel = module.kernel("k").function();
    try {
      std::list<Buffer> buffers;
      for (const Copied& copied : memory) {
        Buffer& buffer = buffers.emplace_back(
            *driver, std::vector<std::byte>(copied.bytes.begin(), copied.bytes.end()));
        *copied.parameter = buffer.address() + copied.offset;
      }
      launch(*driver, kernel, shape, parameters);
      auto buffer = buffers.begin();
      for (const Copied& copied : memory) {
        const std::vector<std::byte> bytes = (buffer++)->download();
        std::memcpy(copied.bytes.data(), bytes.data(), bytes.size());
      }
      if (!contents.empty()) {
        GANTRY_CUDA_CALL(*driver, cuMemcpyDtoH_v2, contents.data(),
                         module.find(variable, contents.size()), contents.size());
      }
    } catch (const CudaError& error) {
      return {DriverRun::End::kFailed, error.what()};
    }
  } catch (const CudaError& error) {
    return {DriverRun::End::kRefused, error.what()};
  }
  return {};
}

} // namespace gantry::simt::instructions
