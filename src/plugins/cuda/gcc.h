// Images and kernels that GCC makes for nvptx.
//
// An image is the PTX of many objects, the program's first and then what of GCC's own libraries it
// needs, which the driver links. Of what the host sees of it libgomp's plugin was the only user, so
// it is written down nowhere; docs/gcc.md has it byte by byte.
//
// A kernel's thread of OpenMP is a warp, so a block is (32, threads, 1). There are two ways to
// start a region, both described in the note of 2015 that proposed them:
//  - each region is a kernel: NAME(data, stacks, bytes of a stack). All compilers since GCC 6.
//  - gomp_nvptx_main is the kernel, which calls what the variable __ptr_NAME points to:
//    gomp_nvptx_main(region, data).
#pragma once

#include "plugins/cuda/device.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gantry::cuda {

struct LaunchMemory;

/// How a kernel is started.
enum class Convention : std::uint8_t {
  kClang,     ///< its parameters are the launch's arguments
  kGccRegion, ///< GCC's kernel for one region
  kGccMain,   ///< gomp_nvptx_main
};

/// Whether an image is GCC's: PTX of several objects, each with a NUL behind it.
[[nodiscard]] bool is_of_gcc(std::string_view image);

/// The PTX of its objects, each with its NUL.
[[nodiscard]] std::vector<std::string_view> objects_of(std::string_view image);

/// Links the objects and loads the result. `log`, which ends with a NUL, is for what the driver
/// says.
[[nodiscard]] CUresult load_objects(std::string_view image, const DeviceOptions& options,
                                    std::vector<char>& log, CUmodule& module);

/// Tells the device runtime in a module what it is asked by omp_get_device_num() and
/// omp_get_wtime().
std::int32_t introduce_device(CUmodule module, const Device& device);

/// Finds a region: its kernel, or gomp_nvptx_main and, in `region`, what it is to call.
[[nodiscard]] CUresult find_region(CUmodule module, const char* name, CUfunction& function,
                                   Convention& convention, CUdeviceptr& region);

/// Puts a launch into a stream. Does not wait.
std::int32_t start_of_gcc(gantry_kernel& kernel, const gantry_launch& launch, CUstream stream,
                          LaunchMemory& memory);

} // namespace gantry::cuda
