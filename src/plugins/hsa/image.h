// An image on a device: a code object that the runtime loads.
#pragma once

#include "plugins/gpu/loaded_images.h"
#include "plugins/hsa/device.h"
#include "plugins/hsa/metadata.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

#include <gantry/gpu_image.h>

struct gantry_kernel {
  gantry::hsa::Device* device = nullptr;
  const gantry_image* image = nullptr;
  std::string name;
  std::uint64_t object = 0; ///< the address of its descriptor, which packets name
  std::uint32_t argument_bytes = 0;
  std::uint32_t group_bytes = 0;
  std::uint32_t private_bytes = 0; ///< of a thread
  std::uint32_t wave_size = 64;
  std::uint32_t max_block_size = 0;
  std::uint32_t waves_at_once = 1; ///< on one compute unit, by their registers
  bool of_gcc = false;
  std::vector<gantry::hsa::HiddenArgumentPlace> hidden;
  gantry_kernel_environment environment = {}; ///< all zero if the image has none: bare
};

struct gantry_image {
  gantry_image(gantry::hsa::Device& device, std::string bytes)
      : device_(device), bytes_(std::move(bytes)) {}
  gantry_image(const gantry_image&) = delete;
  gantry_image& operator=(const gantry_image&) = delete;

  /// See gantry/plugin.h.
  std::int32_t load();
  /// Takes the image from the device and the runtime, before it is freed. GANTRY_SUCCESS or an
  /// error, kept; after an error, too, it can be freed.
  std::int32_t unload();
  std::int32_t find_kernel(const char* name, gantry_kernel*& kernel);
  std::int32_t find_variable(const char* name, void*& device_address, std::uint64_t& size);

  /// For the end of the process, before the runtime ends: what unload() would have the device do.
  void end();

  /// Tells the image's code of the device and its functions; the device's lock is held.
  std::int32_t write_device_environment() const;

  /// Where the heap of GCC's code is; 0 if the image is not GCC's.
  [[nodiscard]] gantry::gpu::DeviceAddress heap() const { return heap_; }

private:
  std::int32_t load_code();
  std::int32_t prepare();
  std::int32_t publish();
  /// Tells the image's code where to print.
  std::int32_t write_output();
  /// Takes the image from those of the device, and frees what it has there.
  std::int32_t withdraw();
  /// Launches a kernel of one thread that the linker or the compiler has made, if the image has it.
  std::int32_t run_alone(const char* name);
  /// Runs the destructors of the image's variables, once.
  std::int32_t destroy();

  /// Whether the image has the symbol.
  bool find(const std::string& name, hsa_executable_symbol_t& symbol) const;
  bool find_address(const std::string& name, void*& address, std::uint64_t& size) const;
  std::int32_t describe(hsa_executable_symbol_t symbol, const std::string& name,
                        gantry_kernel& kernel);

  gantry::hsa::Device& device_;
  std::string bytes_;
  std::mutex mutex_; ///< of load() and of `kernels_`
  bool loaded_ = false;
  hsa_executable_t executable_ = {};
  gantry::hsa::Metadata metadata_;
  gantry::gpu::DeviceAddress heap_ = 0;
  bool of_gcc_ = false;
  bool destroyed_ = false; ///< destroy() has been called
  bool ended_ = false;     ///< end() has been called, and the runtime may be gone
  std::unordered_map<std::string, gantry_kernel> kernels_; ///< their addresses are handed out
};

namespace gantry::hsa {

/// Of the process.
[[nodiscard]] gpu::LoadedImages& loaded_images();

} // namespace gantry::hsa
