// Links: PTX texts that become one program (cuLink*).
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/image.h"
#include "simt/driver/jit_options.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace gantry::simt::driver {

class Device;

/// Results go to the arrays of options that the program gave when it made the link.
class LinkState {
public:
  LinkState(Device& device, const JitOptions& options) : device_(device), options_(options) {}

  /// Adds what is in the input; `name` is for messages. Parses it, so that the error is told now.
  [[nodiscard]] CUresult add(CUjitInputType type, std::span<const std::byte> input,
                             const std::string& name);
  /// The linked image; it is this object's. Nothing can be added afterwards.
  [[nodiscard]] CUresult complete(std::span<const std::byte>& image);

private:
  CUresult refuse(const ImageError& error);

  Device& device_;
  std::mutex mutex_;
  JitOptions options_;
  std::vector<std::string> texts_;
  std::vector<std::unique_ptr<ptx::Module>> modules_;
  bool failed_ = false;
  std::chrono::steady_clock::duration time_{};
  ProgramPointer program_;
  std::vector<std::byte> image_;
};

} // namespace gantry::simt::driver
