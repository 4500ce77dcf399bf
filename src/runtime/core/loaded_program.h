// One program on one device: its image and the join of host entries with what the image holds.
//
// Loading has two halves because of the dynamic loader. The first copies what is needed out of the
// program's memory, under the registry's lock, so that the program cannot vanish meanwhile. The
// second loads the image without any lock: it may wait for a thread that is inside dlopen, and that
// thread may be waiting for the registry. Several threads may do the second half at once.
#pragma once

#include "runtime/core/kernel_table.h"
#include "runtime/core/plugin.h"
#include "runtime/core/program.h"
#include "runtime/core/registry.h"

#include <memory>
#include <string>
#include <vector>

namespace gantry::core {

class LoadedProgram {
public:
  /// First half, with the registry's lock held. Null if no image of the program fits the device.
  /// `file`: see PluginDevice::create_image.
  [[nodiscard]] static Result<std::shared_ptr<LoadedProgram>>
  stage(const RegisteredProgram& program, const PluginDevice& device, const std::string& file);

  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  struct Variable {
    const void* host_address;
    std::uint64_t size;
    void* device_address;
    const char* name;
  };

  /// The host's entries, each with what stands for it in the image.
  struct Joined {
    std::vector<Kernel> kernels;
    /// Host storage that has its corresponding storage in the image.
    std::vector<Variable> variables;
  };

  /// Second half: loads the image and finds every entry in it. No lock is held.
  [[nodiscard]] Result<Joined> load() const;

  /// Keeps what load() found for as long as the image is loaded. Once, with the registry's lock
  /// held.
  void adopt(Joined joined) { joined_ = std::move(joined); }

  [[nodiscard]] ProgramId id() const { return id_; }
  [[nodiscard]] const Joined& joined() const { return joined_; }

private:
  LoadedProgram(ProgramId id, const PluginDevice& device, ImageHandle image)
      : id_(id), device_(device), image_(std::move(image)) {}

  Status join(const ProgramEntry& entry, Joined& joined) const;

  ProgramId id_;
  const PluginDevice& device_;
  ImageHandle image_;
  std::string names_; ///< the entries' names, in one piece
  std::vector<ProgramEntry> entries_;
  Joined joined_;
};

} // namespace gantry::core
