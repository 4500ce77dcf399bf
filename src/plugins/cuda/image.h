// An image on a device: code that the driver loads, and compiles if it is PTX.
#pragma once

#include "plugins/cuda/code.h"
#include "plugins/cuda/device.h"
#include "plugins/cuda/gcc.h"
#include "plugins/gpu/loaded_images.h"

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <gantry/gpu_image.h>

struct gantry_kernel {
  gantry::cuda::Device* device = nullptr;
  CUfunction function = nullptr;
  gantry::cuda::Convention convention = gantry::cuda::Convention::kClang;
  CUdeviceptr region = 0;                     ///< what Convention::kGccMain is to call
  gantry_kernel_environment environment = {}; ///< all zero if the image has none: bare
  bool open_team = false; ///< see gantry/gpu_image.h; asked for of the PTX executor's alone
  int max_block_size = 0; ///< of the function, by its registers and directives
  /// What the driver was asked last of the blocks that a multiprocessor has at once (launch.cpp).
  std::atomic<std::uint64_t> occupancy = 0;
};

struct gantry_image {
  gantry_image(gantry::cuda::Device& device, std::string text)
      : device_(device), text_(std::move(text)) {}
  gantry_image(const gantry_image&) = delete;
  gantry_image& operator=(const gantry_image&) = delete;

  /// See gantry/plugin.h.
  std::int32_t load();
  /// Takes the image from the device and the driver, before it is freed. GANTRY_SUCCESS or an
  /// error, kept; after an error, too, it can be freed.
  std::int32_t unload();
  std::int32_t find_kernel(const char* name, gantry_kernel*& kernel);
  std::int32_t find_variable(const char* name, void*& device_address, std::uint64_t& size) const;

  /// For the end of the process, before the driver ends: what unload() would have the device do.
  void end();

  /// Tells the image's code of the device and its functions; the device's lock is held.
  std::int32_t write_device_environment() const;

private:
  std::int32_t compile();
  [[nodiscard]] CUresult load_module(std::vector<char>& log);
  std::int32_t publish();
  /// Takes the image from those of the device.
  void withdraw();
  /// Launches a kernel of one thread that the linker has made, if the image has it.
  std::int32_t run_alone(const char* name) const;
  /// Runs the destructors of the image's variables, once.
  std::int32_t destroy();
  void load_now(const char* name) const;

  gantry::cuda::Device& device_;
  std::string text_; ///< as the driver wants it, with a NUL
  std::mutex mutex_;
  CUmodule module_ = nullptr;
  bool destroyed_ = false;                                 ///< destroy() has been called
  std::unordered_map<std::string, gantry_kernel> kernels_; ///< their addresses are handed out
};

namespace gantry::cuda {

/// Of the process.
[[nodiscard]] gpu::LoadedImages& loaded_images();

} // namespace gantry::cuda
