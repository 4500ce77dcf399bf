// Libraries: programs that are not bound to a context. Each context that asks for a kernel or a
// variable gets a module of its own, which ends with the context or with the library.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/image.h"
#include "simt/driver/module.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace gantry::simt::driver {

class Kernel;

/// All members may be called from any thread.
class Library : public std::enable_shared_from_this<Library> {
public:
  [[nodiscard]] static std::shared_ptr<Library> create(ProgramPointer program);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] CUlibrary handle() const { return handle_; }
  [[nodiscard]] const ptx::Program& program() const { return *program_; }

  /// The library's module in the context.
  [[nodiscard]] ImageResult<std::shared_ptr<Module>> module_in(Context& context);
  /// The kernel of that name; always the same object for it. Null if there is none.
  [[nodiscard]] std::shared_ptr<Kernel> kernel(std::string_view name);

  /// Ends the handles of its kernels and modules. The library's own has been ended.
  void unload();

private:
  explicit Library(ProgramPointer program);

  const ProgramPointer program_;
  CUlibrary handle_ = nullptr; ///< set before anybody else knows the library
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<Module>> modules_; ///< by the context's id
  std::map<std::string, std::shared_ptr<Kernel>, std::less<>> kernels_;
};

/// A kernel of a library, in no context yet.
class Kernel {
public:
  Kernel(std::weak_ptr<Library> library, std::string name)
      : library_(std::move(library)), name_(std::move(name)) {}

  [[nodiscard]] std::shared_ptr<Library> library() const { return library_.lock(); }
  [[nodiscard]] const char* name() const { return name_.c_str(); }
  [[nodiscard]] CUkernel handle() const { return handle_; }
  void set_handle(CUkernel handle) { handle_ = handle; }
  /// Null if the library has ended or cannot be loaded.
  [[nodiscard]] std::shared_ptr<Function> function_in(Context& context) const;

private:
  const std::weak_ptr<Library> library_;
  const std::string name_;
  CUkernel handle_ = nullptr; ///< set before anybody else knows the kernel
};

/// The function that a handle means in the context: of a function, or of a library's kernel.
[[nodiscard]] std::shared_ptr<Function> function_of(CUfunction handle, Context& context);

} // namespace gantry::simt::driver
