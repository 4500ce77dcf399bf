// Entry points: functions, their launches, and how many blocks of them fit.
#include "simt/driver/api.h"
#include "simt/driver/launch.h"
#include "simt/driver/library.h"
#include "simt/driver/messages.h"
#include "simt/host/settings.h"

#include <algorithm>
#include <optional>

using namespace gantry::simt::driver;
using gantry::simt::exec::LaunchShape;

namespace {

/// body(Function&, Context&)
template <typename Body>
CUresult call_for_function(CUfunction handle, Body&& body) noexcept {
  return call_in_context([&](Context& context) {
    const std::shared_ptr<Function> function = function_of(handle, context);
    return function == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*function);
  });
}

CUresult launch(CUfunction handle, const LaunchShape& shape, CUstream stream_handle,
                void** parameters, void** extra) {
  return call_in_context([&](Context& context) {
    if (gantry::simt::settings().mode == gantry::simt::Mode::kSkip) [[unlikely]] {
      return CUDA_SUCCESS;
    }
    LaunchRequest request;
    request.function = function_of(handle, context);
    if (request.function == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    Stream* const stream = context.stream(stream_handle);
    if (stream == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    request.shape = shape;
    request.parameters = parameters;
    request.extra = extra;
    return launch_in(*stream, std::move(request));
  });
}

CUresult read_attributes(const CUlaunchConfig& config, LaunchWishes& wishes) {
  if (config.numAttrs != 0 && config.attrs == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUresult result = read_attribute(config.attrs[i].id, config.attrs[i].value, wishes);
    if (result != CUDA_SUCCESS) {
      return result;
    }
  }
  return CUDA_SUCCESS;
}

LaunchShape shape_of(const CUlaunchConfig& config) {
  return {{config.gridDimX, config.gridDimY, config.gridDimZ},
          {config.blockDimX, config.blockDimY, config.blockDimZ},
          config.sharedMemBytes};
}

/// Blocks of a configuration that the device can hold at once; nothing if it has none of that size.
std::optional<std::uint64_t> resident_blocks(const Function& function,
                                             const CUlaunchConfig& config) {
  const std::uint64_t threads =
      std::uint64_t{config.blockDimX} * config.blockDimY * config.blockDimZ;
  if (threads == 0 || threads > Device::kThreadsOfBlock) {
    return std::nullopt;
  }
  return std::uint64_t{blocks_of_multiprocessor(function, static_cast<unsigned>(threads),
                                                config.sharedMemBytes)} *
         function.module().device().multiprocessors();
}

} // namespace

GANTRY_CUDA_API cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  return call_for_function(handle, [&](Function& function) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : function.attribute(attribute, *value);
  });
}

GANTRY_CUDA_API cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  return call_for_function(
      handle, [&](Function& function) { return function.set_attribute(attribute, value); });
}

GANTRY_CUDA_API cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  return call_for_function(handle, [&](Function&) {
    return config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config) {
  return call_for_function(handle, [&](Function&) {
    return config < CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE ||
                   config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  });
}

GANTRY_CUDA_PROPERTY(cuFuncGetModule, (CUmodule * place, CUfunction handle), call_for_function,
                     object.module().handle())
GANTRY_CUDA_PROPERTY(cuFuncGetName, (const char** place, CUfunction handle), call_for_function,
                     object.name())

GANTRY_CUDA_API cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* size) {
  return call_for_function(handle, [&](Function& function) {
    const auto& parameters = function.facts().parameters;
    if (offset == nullptr || index >= parameters.size()) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *offset = parameters[index].offset;
    give<std::size_t>(size, parameters[index].size);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_PROPERTY(cuFuncIsLoaded, (CUfunctionLoadingState * place, CUfunction handle),
                     call_for_function,
                     object.prepared() ? CU_FUNCTION_LOADING_STATE_LOADED
                                       : CU_FUNCTION_LOADING_STATE_UNLOADED)

GANTRY_CUDA_API cuFuncLoad(CUfunction handle) {
  return call_for_function(handle, [](Function& function) { return function.prepare({}, true); });
}

GANTRY_CUDA_API cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                               unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                               unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                               void** parameters, void** extra) {
  const LaunchShape shape = {
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, false};
  return launch(function, shape, stream, parameters, extra);
}

GANTRY_CUDA_API cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x,
                                          unsigned int grid_y, unsigned int grid_z,
                                          unsigned int block_x, unsigned int block_y,
                                          unsigned int block_z, unsigned int shared_bytes,
                                          CUstream stream, void** parameters) {
  const LaunchShape shape = {
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, true};
  return launch(function, shape, stream, parameters, nullptr);
}

GANTRY_CUDA_API cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function,
                                 void** parameters, void** extra) {
  if (config == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  LaunchWishes wishes;
  if (const CUresult read = read_attributes(*config, wishes); read != CUDA_SUCCESS) {
    return read;
  }
  LaunchShape shape = shape_of(*config);
  shape.cooperative = wishes.cooperative;
  ask_for_cluster(wishes, shape);
  const CUresult result = launch(function, shape, config->hStream, parameters, extra);
  return result != CUDA_SUCCESS || wishes.event == nullptr
             ? result
             : cuEventRecord(wishes.event, config->hStream);
}

GANTRY_CUDA_API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction handle,
                                                                     int block_size,
                                                                     size_t shared_bytes,
                                                                     unsigned int flags) {
  return call_for_function(handle, [&](Function& function) {
    if (blocks == nullptr || block_size <= 0 || shared_bytes > UINT32_MAX ||
        flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *blocks = static_cast<int>(
        blocks_of_multiprocessor(function, static_cast<unsigned>(block_size), shared_bytes));
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function,
                                                            int block_size, size_t shared_bytes) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                              shared_bytes, CU_OCCUPANCY_DEFAULT);
}

GANTRY_CUDA_API cuOccupancyMaxPotentialBlockSizeWithFlags(int* min_grid_size, int* block_size,
                                                          CUfunction handle,
                                                          CUoccupancyB2DSize shared_of_size,
                                                          size_t shared_bytes, int limit,
                                                          unsigned int flags) {
  return call_for_function(handle, [&](Function& function) {
    if (min_grid_size == nullptr || block_size == nullptr || limit < 0 ||
        flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    unsigned largest = std::min(function.facts().max_threads, Device::kThreadsOfBlock);
    if (limit != 0) {
      largest = std::min(largest, static_cast<unsigned>(limit));
    }
    // The most threads at once; of the sizes that reach it the largest. Sizes are whole warps, the
    // largest one apart.
    unsigned best_size = 0;
    unsigned best_blocks = 0;
    for (unsigned size = largest; size != 0;
         size = (size - 1) / Device::kWarpSize * Device::kWarpSize) {
      const std::size_t shared =
          shared_of_size != nullptr ? shared_of_size(static_cast<int>(size)) : shared_bytes;
      const unsigned blocks =
          shared <= UINT32_MAX ? blocks_of_multiprocessor(function, size, shared) : 0;
      if (blocks * size > best_blocks * best_size) {
        best_size = size;
        best_blocks = blocks;
      }
    }
    *block_size = static_cast<int>(best_size);
    *min_grid_size = static_cast<int>(best_blocks * function.module().device().multiprocessors());
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size,
                                                 CUfunction function,
                                                 CUoccupancyB2DSize shared_of_size,
                                                 size_t shared_bytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(min_grid_size, block_size, function,
                                                   shared_of_size, shared_bytes, limit,
                                                   CU_OCCUPANCY_DEFAULT);
}

GANTRY_CUDA_API cuOccupancyAvailableDynamicSMemPerBlock(size_t* shared_bytes, CUfunction handle,
                                                        int blocks, int block_size) {
  return call_for_function(handle, [&](Function& function) {
    if (shared_bytes == nullptr || blocks <= 0 || block_size <= 0 ||
        blocks_of_multiprocessor(function, static_cast<unsigned>(block_size), 0) <
            static_cast<unsigned>(blocks)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const MultiprocessorLimits& limits = function.module().device().limits();
    const std::uint32_t of_block =
        std::min(limits.shared_bytes / static_cast<unsigned>(blocks), limits.shared_bytes_of_block);
    const std::uint32_t taken = function.facts().static_shared;
    *shared_bytes = of_block > taken ? of_block - taken : 0;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuOccupancyMaxActiveClusters(int* clusters, CUfunction handle,
                                             const CUlaunchConfig* config) {
  return call_for_function(handle, [&](Function& function) {
    LaunchWishes wishes;
    if (clusters == nullptr || config == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (const CUresult read = read_attributes(*config, wishes); read != CUDA_SUCCESS) {
      return read;
    }
    LaunchShape shape = shape_of(*config);
    ask_for_cluster(wishes, shape);
    if (const CUresult result = set_cluster(function, shape); result != CUDA_SUCCESS) {
      return result;
    }
    const auto blocks = resident_blocks(function, *config);
    if (!blocks) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    // The blocks of a cluster take turns on one thread: there is always room for one.
    const std::uint64_t found = *blocks / shape.blocks_of_cluster();
    *clusters = static_cast<int>(*blocks == 0 ? 0 : std::max<std::uint64_t>(found, 1));
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuOccupancyMaxPotentialClusterSize(int* size, CUfunction handle,
                                                   const CUlaunchConfig* config) {
  return call_for_function(handle, [&](Function& function) {
    if (size == nullptr || config == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto blocks = resident_blocks(function, *config);
    if (!blocks) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *size = *blocks == 0 ? 0 : static_cast<int>(most_blocks_of_cluster(function));
    return CUDA_SUCCESS;
  });
}
