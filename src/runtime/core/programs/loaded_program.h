// One program on one device: its image and the join of host entries with what the image holds.
//
// Loading has two halves because of the dynamic loader. The first copies what is needed out of the
// program's memory, while the program is held in the registry, so that it cannot vanish
// meanwhile. The second loads the image without any lock or pin: it may wait for a thread that is
// inside dlopen, and that thread may be waiting for the pin. Several threads may do the second half
// at once.
#pragma once

#include "runtime/core/devices/plugin_device.h"
#include "runtime/core/programs/function_map.h"
#include "runtime/core/programs/kernel_table.h"
#include "runtime/core/programs/program.h"
#include "runtime/core/programs/registry.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gantry::core {

class LoadedProgram {
public:
  /// An image on the device together with the bytes it was made of: programs that brought the same
  /// bytes, not just equal ones, share it.
  struct Image {
    const std::byte* source;
    std::size_t size;
    ImageHandle handle;
  };
  using FindImage = std::function<std::shared_ptr<Image>(const std::byte* source)>;

  /// First half, with the program held. Null if no image of the program fits the device. `file`:
  /// see PluginDevice::create_image. `find_image` answers an image that another program of this
  /// device has, or null.
  [[nodiscard]] static Result<std::shared_ptr<LoadedProgram>>
  stage(const RegisteredProgram& program, PluginDevice& device, const std::string& file,
        const FindImage& find_image);

  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  struct Variable {
    const void* host_address;
    std::uint64_t size;
    void* device_address;
    const char* name;
    const char* image_name;    ///< by which the image has it
    bool link_pointer = false; ///< by which Clang's code uses a link variable
  };

  /// The host's entries, each with what stands for it in the image.
  struct Joined {
    std::vector<Kernel> kernels;
    /// Host storage that has its corresponding storage in the image.
    std::vector<Variable> variables;
    /// Link variables, with the device's pointers to them and with their storage there.
    std::vector<Variable> link_pointers;
    std::vector<Variable> link_storage;
    /// What is called by pointer, in no order.
    std::vector<FunctionPair> functions;
  };

  /// Second half: loads the image and finds every entry in it. No lock is held.
  [[nodiscard]] Result<Joined> load() const;

  /// Keeps what load() found for as long as the image is loaded. Once, before others see it.
  void adopt(Joined joined) { joined_ = std::move(joined); }

  /// Its kernels and variables are found. Any thread.
  [[nodiscard]] bool is_published() const { return published_.load(std::memory_order_acquire); }
  void set_published() { published_.store(true, std::memory_order_release); }

  [[nodiscard]] const std::shared_ptr<Image>& image() const { return image_; }
  [[nodiscard]] ProgramId id() const { return id_; }
  [[nodiscard]] bool requires_unified_shared_memory() const { return unified_shared_memory_; }
  /// See Kernel::keeps_state.
  [[nodiscard]] bool keeps_state() const { return keeps_state_; }
  [[nodiscard]] const Joined& joined() const { return joined_; }

  /// All of its images, the one that is loaded first. In the program's memory: to be read while it
  /// is registered, as it is while a region of it runs.
  [[nodiscard]] const std::vector<std::span<const std::byte>>& images() const { return images_; }
  [[nodiscard]] const std::vector<ProgramEntry>& entries() const { return entries_; }

private:
  LoadedProgram(ProgramId id, const PluginDevice& device, std::shared_ptr<Image> image)
      : id_(id), device_(device), image_(std::move(image)) {}

  Status join(const ProgramEntry& entry, const gantry_symbol& symbol, Joined& joined) const;
  /// A function, or every place of a virtual table that an object's pointer to it may have.
  Status join_indirect(const ProgramEntry& entry, const void* device_variable,
                       Joined& joined) const;

  ProgramId id_;
  bool unified_shared_memory_ = false;
  bool keeps_state_ = false;
  std::atomic<bool> published_{false};
  const PluginDevice& device_;
  std::shared_ptr<Image> image_;
  std::string names_;       ///< the entries' names, in one piece
  std::string link_values_; ///< of entries of kind kLink, in one piece
  std::vector<ProgramEntry> entries_;
  std::vector<std::span<const std::byte>> images_;
  Joined joined_;
};

} // namespace gantry::core
