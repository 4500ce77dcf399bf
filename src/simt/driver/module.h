// Modules: programs in the memory of a context, and their kernels.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/context.h"
#include "simt/driver/image.h"
#include "simt/exec/run/loaded_program.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class Function;

/// All members may be called from any thread. Lives until its last launch has ended.
class Module : public std::enable_shared_from_this<Module> {
public:
  /// Loads the program, with a handle that ends with the context.
  [[nodiscard]] static ImageResult<std::shared_ptr<Module>> create(Context& context,
                                                                   ProgramPointer program);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  [[nodiscard]] CUmodule handle() const { return handle_; }
  [[nodiscard]] std::uint64_t context_id() const { return context_id_; }
  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] exec::LoadedProgram& program() const { return *program_; }

  /// The kernel of that name; always the same object for it. Null if there is none.
  [[nodiscard]] std::shared_ptr<Function> function(std::string_view name);
  /// Writes where a variable lies to those of the two places that are not null.
  [[nodiscard]] CUresult find_variable(const char* name, CUdeviceptr* address,
                                       std::size_t* bytes) const;
  [[nodiscard]] bool is_managed(std::string_view variable) const;
  /// Ends the handles of the functions. The module's own has been ended.
  void unload();

private:
  Module(Context& context, std::unique_ptr<exec::LoadedProgram> program);

  Device& device_;
  const std::uint64_t context_id_;
  const std::unique_ptr<exec::LoadedProgram> program_;
  CUmodule handle_ = nullptr; ///< set before anybody else knows the module
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Function>> functions_;
};

/// The names of all kernels, in their order in the program.
[[nodiscard]] std::vector<std::string_view> kernel_names(const ptx::Program& program);

/// A kernel of a module. Belongs to it; references to it are references to the module.
class Function {
public:
  Function(Module& module, std::uint32_t kernel);
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  [[nodiscard]] Module& module() const { return module_; }
  [[nodiscard]] CUfunction handle() const { return handle_; }
  void set_handle(CUfunction handle) { handle_ = handle; }
  [[nodiscard]] const exec::KernelFacts& facts() const { return facts_; }
  [[nodiscard]] const char* name() const { return name_.c_str(); }

  /// Makes the kernel ready to run in that shape; quick when it has been made so in one of that
  /// geometry. Why it cannot be is printed, once.
  [[nodiscard]] CUresult prepare(const exec::LaunchShape& shape, bool with_callees = false);
  /// In any shape.
  [[nodiscard]] bool prepared() const { return prepared_.load(std::memory_order_acquire) != 0; }

  [[nodiscard]] tl::expected<void, exec::Fault>
  run(const exec::LaunchShape& shape, const std::byte* parameters,
      const exec::AnnouncedLaunch& announced = {}) const {
    return module_.program().run(kernel_, shape, parameters, announced);
  }

  /// Dynamic shared memory that a launch may ask for.
  [[nodiscard]] std::uint32_t most_dynamic_shared() const {
    return most_dynamic_shared_.load(std::memory_order_relaxed);
  }
  /// Of the kernel, or of an attribute; zeros if there is none.
  [[nodiscard]] std::array<std::uint32_t, 3> required_cluster() const;
  /// Of more blocks than every device with clusters has.
  [[nodiscard]] bool allows_large_clusters() const {
    return large_clusters_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] CUresult attribute(CUfunction_attribute attribute, int& value) const;
  [[nodiscard]] CUresult set_attribute(CUfunction_attribute attribute, int value);

private:
  CUresult refuse(const std::string& reason);

  Module& module_;
  const std::uint32_t kernel_;
  const exec::KernelFacts& facts_;
  const std::string name_;
  CUfunction handle_ = nullptr;             ///< set before anybody else knows the function
  std::atomic<std::uint32_t> prepared_ = 0; ///< bit i: in shapes of Geometry i
  std::atomic<bool> refused_ = false;
  std::atomic<std::uint32_t> most_dynamic_shared_;
  std::atomic<int> carveout_ = -1;
  std::atomic<bool> large_clusters_ = false;
  std::atomic<int> cluster_policy_ = CU_CLUSTER_SCHEDULING_POLICY_DEFAULT;
  std::array<std::atomic<std::uint32_t>, 3> wanted_cluster_ = {};
};

} // namespace gantry::simt::driver
