#include "simt/driver/module.h"

#include "simt/driver/device.h"
#include "simt/driver/handles.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace gantry::simt::driver {

Module::Module(Context& context, std::unique_ptr<exec::LoadedProgram> program)
    : device_(context.device()), context_id_(context.id()), program_(std::move(program)) {}

Module::~Module() = default;

ImageResult<std::shared_ptr<Module>> Module::create(Context& context, ProgramPointer program) {
  auto loaded =
      exec::LoadedProgram::load(std::move(program), {context.device().ordinal(), context.id()});
  if (!loaded) {
    return tl::unexpected(ImageError{CUDA_ERROR_OUT_OF_MEMORY, loaded.error() + "\n"});
  }
  std::shared_ptr<Module> module(new Module(context, std::move(*loaded)));
  module->handle_ = handles().modules.insert(module);
  context.adopt(module->handle_);
  return module;
}

std::shared_ptr<Function> Module::function(std::string_view name) {
  const std::optional<std::uint32_t> kernel = program_->kernel(name);
  if (!kernel) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Function>& function = functions_[*kernel];
  const bool is_new = function == nullptr;
  if (is_new) {
    function = std::make_unique<Function>(*this, *kernel);
  }
  std::shared_ptr<Function> reference(shared_from_this(), function.get());
  if (is_new) {
    function->set_handle(handles().functions.insert(reference));
  }
  return reference;
}

std::vector<std::string_view> kernel_names(const ptx::Program& program) {
  std::vector<std::pair<std::uint32_t, std::string_view>> entries;
  for (const auto& [name, index] : program.entry_names) {
    entries.emplace_back(index, name);
  }
  std::ranges::sort(entries);
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const auto& [index, name] : entries) {
    names.push_back(name);
  }
  return names;
}

CUresult Module::find_variable(const char* name, CUdeviceptr* address, std::size_t* bytes) const {
  if (name == nullptr || (address == nullptr && bytes == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto variable = program_->variable(name);
  if (!variable) {
    return CUDA_ERROR_NOT_FOUND;
  }
  if (address != nullptr) {
    *address = variable->address;
  }
  if (bytes != nullptr) {
    *bytes = variable->size;
  }
  return CUDA_SUCCESS;
}

bool Module::is_managed(std::string_view variable) const {
  const auto& variables = program_->program().variables;
  return std::ranges::any_of(variables, [&](const ptx::ProgramVariable& known) {
    return known.variable->managed && known.variable->name == variable;
  });
}

void Module::unload() {
  const std::lock_guard lock(mutex_);
  for (const auto& [kernel, function] : functions_) {
    handles().functions.erase(function->handle());
  }
}

Function::Function(Module& module, std::uint32_t kernel)
    : module_(module), kernel_(kernel), facts_(module.program().facts(kernel)),
      name_(module.program().program().definition(kernel).name),
      most_dynamic_shared_(facts_.static_shared >= Device::kSharedOfBlock
                               ? 0
                               : Device::kSharedOfBlock - facts_.static_shared) {}

CUresult Function::prepare(const exec::LaunchShape& shape, bool with_callees) {
  const std::uint32_t bit = 1U << static_cast<unsigned>(exec::geometry_of(shape));
  if ((prepared_.load(std::memory_order_acquire) & bit) != 0 && !with_callees) {
    return CUDA_SUCCESS;
  }
  if (facts_.static_shared > Device::kSharedOfBlock) {
    return refuse(fmt::format("it has {} bytes of static shared memory, the limit is {}",
                              facts_.static_shared, Device::kSharedOfBlock));
  }
  if (const auto ready = module_.program().prepare(kernel_, shape, with_callees); !ready) {
    return ready.error().code == exec::FaultCode::kDeinitialized ? CUDA_ERROR_DEINITIALIZED
                                                                 : refuse(ready.error().report);
  }
  prepared_.fetch_or(bit, std::memory_order_release);
  return CUDA_SUCCESS;
}

CUresult Function::refuse(const std::string& reason) {
  // A launch has no log that the text could go to.
  if (!refused_.exchange(true)) {
    std::fprintf(stderr, "gantry: error: the kernel '%s' cannot be executed: %s\n", name(),
                 reason.c_str());
  }
  return CUDA_ERROR_INVALID_PTX;
}

CUresult Function::attribute(CUfunction_attribute attribute, int& value) const {
  const ptx::Program& program = module_.program().program();
  const ptx::Module& text = *program.modules[program.functions[kernel_].module];
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    value = static_cast<int>(facts_.max_threads);
    break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    value = static_cast<int>(facts_.static_shared);
    break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    value = static_cast<int>(facts_.const_bytes);
    break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    value = static_cast<int>(facts_.local_bytes);
    break;
  // Runtimes divide by it.
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    value = static_cast<int>(std::max(1U, facts_.registers));
    break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    value = static_cast<int>(text.version_major * 10 + text.version_minor);
    break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    value = static_cast<int>(module_.device().major() * 10 + module_.device().minor());
    break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    value = static_cast<int>(most_dynamic_shared());
    break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    value = carveout_.load();
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    value = facts_.needs_cluster ? 1 : 0;
    break;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    value = static_cast<int>(required_cluster()[static_cast<std::size_t>(
        attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)]);
    break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    value = large_clusters_.load() ? 1 : 0;
    break;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    value = cluster_policy_.load();
    break;
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    value = 0;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

std::array<std::uint32_t, 3> Function::required_cluster() const {
  if (facts_.required_cluster[0] != 0) {
    return std::to_array(facts_.required_cluster);
  }
  const std::array<std::uint32_t, 3> wanted = {wanted_cluster_[0].load(), wanted_cluster_[1].load(),
                                               wanted_cluster_[2].load()};
  // Set one after the other, and all of them count.
  return std::ranges::find(wanted, 0U) == wanted.end() ? wanted : std::array<std::uint32_t, 3>{};
}

CUresult Function::set_attribute(CUfunction_attribute attribute, int value) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
    const unsigned most = module_.device().limits().shared_bytes_of_block;
    if (value < 0 || facts_.static_shared > most ||
        static_cast<unsigned>(value) > most - facts_.static_shared) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    most_dynamic_shared_.store(static_cast<std::uint32_t>(value));
    return CUDA_SUCCESS;
  }
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    if (value < -1 || value > 100) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    carveout_.store(value);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    if (facts_.required_cluster[0] != 0) {
      return CUDA_ERROR_NOT_PERMITTED;
    }
    if (value < 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    wanted_cluster_[static_cast<std::size_t>(attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)]
        .store(static_cast<std::uint32_t>(value));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    if (value != 0 && value != 1) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    large_clusters_.store(value != 0);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    if (value < CU_CLUSTER_SCHEDULING_POLICY_DEFAULT ||
        value > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    cluster_policy_.store(value);
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

} // namespace gantry::simt::driver
