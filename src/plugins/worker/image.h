// An image on a device: what the program knows of the one that the worker has loaded.
#pragma once

#include "plugins/worker/device.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <gantry/plugin.h>

/// The opaque kernel of gantry/plugin.h.
struct gantry_kernel {
  gantry_image* image = nullptr;
  std::uint64_t handle = 0; ///< the worker's
  std::string name;
};

/// The opaque image of gantry/plugin.h. The worker has it from the first need on, not before.
struct gantry_image {
  gantry_image(gantry::worker::Device& device, std::span<const std::byte> bytes, std::string file);
  gantry_image(const gantry_image&) = delete;
  gantry_image& operator=(const gantry_image&) = delete;
  ~gantry_image();

  /// See gantry/plugin.h.
  std::int32_t load();
  std::int32_t unload(); ///< before it is deleted
  std::int32_t find_kernel(const char* name, gantry_kernel*& kernel);
  std::int32_t find_variable(const char* name, void*& device_address, std::uint64_t& size);

  /// For descriptions of faults.
  [[nodiscard]] std::uint64_t handle() const { return handle_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const gantry_kernel* kernel(std::uint64_t handle);

private:
  std::int32_t create(gantry::worker::Worker& worker);

  std::int32_t find(gantry::worker::Operation operation, const char* name,
                    gantry::worker::SymbolArguments& found);

  gantry::worker::Device& device_;
  const std::vector<std::byte> bytes_;
  const std::string file_; ///< where a copy is left; empty: nowhere
  std::mutex mutex_;       ///< for all below
  std::uint64_t handle_ = 0;
  bool loaded_ = false;
  std::unordered_map<std::uint64_t, gantry_kernel> kernels_; ///< their addresses are handed out
};
