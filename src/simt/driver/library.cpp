#include "simt/driver/library.h"

#include "simt/driver/handles.h"

#include <utility>

namespace gantry::simt::driver {

Library::Library(ProgramPointer program) : program_(std::move(program)) {}

std::shared_ptr<Library> Library::create(ProgramPointer program) {
  std::shared_ptr<Library> library(new Library(std::move(program)));
  library->handle_ = handles().libraries.insert(library);
  return library;
}

ImageResult<std::shared_ptr<Module>> Library::module_in(Context& context) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<Module>& known = modules_[context.id()];
  if (std::shared_ptr<Module> module = known.lock()) {
    return module;
  }
  auto module = Module::create(context, program_);
  if (module) {
    known = *module;
  }
  return module;
}

std::shared_ptr<Kernel> Library::kernel(std::string_view name) {
  if (!program_->find_entry(name)) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  const auto found = kernels_.find(name);
  if (found != kernels_.end()) {
    return found->second;
  }
  auto kernel = std::make_shared<Kernel>(weak_from_this(), std::string(name));
  kernel->set_handle(handles().kernels.insert(kernel));
  kernels_.emplace(name, kernel);
  return kernel;
}

void Library::unload() {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, kernel] : kernels_) {
    handles().kernels.erase(kernel->handle());
  }
  for (const auto& [context, weak] : modules_) {
    const std::shared_ptr<Module> module = weak.lock();
    if (module != nullptr && handles().modules.erase(module->handle()) != nullptr) {
      module->unload();
    }
  }
}

std::shared_ptr<Function> Kernel::function_in(Context& context) const {
  const std::shared_ptr<Library> owner = library();
  if (owner == nullptr) {
    return nullptr;
  }
  const auto module = owner->module_in(context);
  return module ? (*module)->function(name_) : nullptr;
}

std::shared_ptr<Function> function_of(CUfunction handle, Context& context) {
  if (kind_of(handle) != HandleKind::kKernel) {
    return handles().functions.find(handle);
  }
  const std::shared_ptr<Kernel> kernel = handles().kernels.find(reinterpret_cast<CUkernel>(handle));
  return kernel != nullptr ? kernel->function_in(context) : nullptr;
}

} // namespace gantry::simt::driver
