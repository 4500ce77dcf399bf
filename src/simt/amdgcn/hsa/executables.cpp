#include "simt/amdgcn/hsa/executables.h"

#include "simt/memory/device_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace gantry::simt::hsa {

Result<std::shared_ptr<LoadedObject>>
LoadedObject::load(const amdgcn::CodeObject& object, Bytes bytes, const Agent& agent,
                   const amdgcn::Resolver& resolve,
                   std::shared_ptr<const std::atomic<bool>> is_frozen) {
  std::shared_ptr<LoadedObject> loaded(new LoadedObject(agent, std::move(is_frozen)));
  Allocation what;
  what.size = object.size + object.alignment;
  what.kind = MemoryKind::kGlobal;
  what.device = agent.device;
  const auto block = DeviceMemory::instance()->allocate(what);
  if (!block) {
    return refuse("there is no memory for a code object of {} bytes", what.size);
  }
  loaded->block_ = *block;
  const std::uint64_t begin = (*block + object.alignment - 1) & ~(object.alignment - 1);
  auto* const memory = reinterpret_cast<std::byte*>(begin);
  std::memset(reinterpret_cast<void*>(*block), 0, what.size);
  GANTRY_TRY(amdgcn::load_into({memory, object.size}, object, begin, resolve));
  loaded->add_code(object, bytes, begin - object.first);
  loaded->add_symbols(object, begin - object.first);
  return loaded;
}

LoadedObject::~LoadedObject() {
  code_.clear();
  if (block_ != 0) {
    DeviceMemory::instance()->free(block_);
  }
}

void LoadedObject::add_code(const amdgcn::CodeObject& object, Bytes bytes, std::uint64_t moved_by) {
  const auto debug =
      std::make_shared<const amdgcn::DebugSections>(amdgcn::copy_debug_sections(bytes));
  for (const amdgcn::Segment& segment : object.segments) {
    if (!segment.is_executable) {
      continue;
    }
    std::vector<amdgcn::CodeSymbol> functions;
    for (const amdgcn::Symbol& symbol : object.symbols) {
      if (symbol.kind == amdgcn::SymbolKind::kFunction &&
          symbol.address - segment.address < segment.size) {
        functions.push_back({symbol.address + moved_by, symbol.size, std::string(symbol.name)});
      }
    }
    for (const amdgcn::Kernel& kernel : object.kernels) { // whose own symbol may be local, as GCC's
      const amdgcn::Symbol& symbol = object.symbols[kernel.symbol];
      const std::uint64_t entry =
          symbol.address + static_cast<std::uint64_t>(kernel.descriptor.entry);
      if (entry - segment.address < segment.size &&
          std::ranges::find(functions, entry + moved_by, &amdgcn::CodeSymbol::address) ==
              functions.end()) {
        const std::string_view name = symbol.name;
        functions.push_back(
            {entry + moved_by, 0,
             std::string(name.substr(0, name.size() - amdgcn::kDescriptorSuffix.size()))});
      }
    }
    std::ranges::sort(functions, {}, &amdgcn::CodeSymbol::address);
    // Instructions are words, wherever the linker has begun the segment.
    const std::uint64_t begin = (segment.address + moved_by + 3) & ~std::uint64_t{3};
    const std::uint64_t end = segment.address + moved_by + segment.size;
    if (begin < end) {
      code_.push_back(std::make_unique<amdgcn::LoadedCode>(
          *agent_->processor, begin, end - begin,
          amdgcn::CodeSources{std::move(functions), debug, moved_by}));
    }
  }
}

ExecutableSymbol LoadedObject::symbol_of(const amdgcn::Symbol& symbol,
                                         std::uint64_t moved_by) const {
  ExecutableSymbol made;
  made.name = symbol.name;
  made.agent = agent_;
  made.address = symbol.address + moved_by;
  made.size = symbol.size;
  made.handle = new_handle();
  made.is_global = symbol.is_global;
  made.is_frozen = is_frozen_;
  return made;
}

void LoadedObject::add_symbols(const amdgcn::CodeObject& object, std::uint64_t moved_by) {
  for (const amdgcn::Symbol& symbol : object.symbols) {
    if (symbol.kind == amdgcn::SymbolKind::kVariable) {
      ExecutableSymbol variable = symbol_of(symbol, moved_by);
      const amdgcn::Segment* const segment = object.segment_of(symbol.address, symbol.size);
      variable.is_constant = segment != nullptr && !segment->is_writable;
      symbols_.push_back(std::make_shared<ExecutableSymbol>(std::move(variable)));
    }
  }
  for (const amdgcn::Kernel& kernel : object.kernels) {
    constexpr std::uint32_t kLeastAlignment = 16; // that HSA has
    const amdgcn::KernelMetadata& said = kernel.metadata;
    ExecutableSymbol made = symbol_of(object.symbols[kernel.symbol], moved_by);
    made.is_kernel = true;
    made.kernarg_bytes = said.kernarg_bytes.value_or(kernel.descriptor.kernarg_bytes);
    made.kernarg_alignment =
        std::max(kLeastAlignment, said.kernarg_alignment.value_or(kLeastAlignment));
    made.group_bytes = kernel.descriptor.group_bytes;
    made.private_bytes = kernel.descriptor.private_bytes;
    made.uses_dynamic_stack = said.uses_dynamic_stack.value_or(
        (kernel.descriptor.properties & amdgcn::kUsesDynamicStack) != 0);
    symbols_.push_back(std::make_shared<ExecutableSymbol>(std::move(made)));
  }
}

hsa_status_t Executable::define(std::string_view name, void* address) {
  const std::lock_guard lock(mutex_);
  if (is_frozen_->load()) {
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  }
  const bool is_new = defined_.emplace(name, reinterpret_cast<std::uint64_t>(address)).second;
  return is_new ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
}

namespace {

hsa_status_t tell(hsa_status_t status, const Error& error) {
  std::fprintf(stderr, "gantry: error: a code object cannot be loaded: %s\n",
               error.message.c_str());
  return status;
}

} // namespace

hsa_status_t Executable::load(const Agent& agent, Bytes bytes) {
  const std::lock_guard lock(mutex_);
  if (is_frozen_->load()) {
    return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  }
  const auto object = amdgcn::parse(bytes);
  if (!object) {
    return tell(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, object.error());
  }
  if (!agent.is_gpu() ||
      std::ranges::any_of(objects_, [&](const auto& other) { return &other->agent() == &agent; })) {
    return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS; // of one agent an executable has one at most
  }
  if (const Status fits = amdgcn::check_processor(*object, *agent.processor); !fits) {
    return tell(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, fits.error());
  }
  bool lacks = false;
  const auto resolve = [&](std::string_view name) -> std::optional<std::uint64_t> {
    const auto found = defined_.find(name);
    lacks = lacks || found == defined_.end();
    return found == defined_.end() ? std::nullopt : std::optional(found->second);
  };
  const auto loaded = LoadedObject::load(*object, bytes, agent, resolve, is_frozen_);
  if (!loaded) {
    return tell(loaded.error().of_device ? HSA_STATUS_ERROR_OUT_OF_RESOURCES
                : lacks                  ? HSA_STATUS_ERROR_VARIABLE_UNDEFINED
                                         : HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
                loaded.error());
  }
  objects_.push_back(*loaded);
  Executables::instance().publish(*loaded);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Executable::freeze() {
  const std::lock_guard lock(mutex_);
  return is_frozen_->exchange(true) ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE : HSA_STATUS_SUCCESS;
}

std::shared_ptr<const ExecutableSymbol> Executable::find(std::string_view name,
                                                         const Agent* agent) const {
  const std::lock_guard lock(mutex_);
  for (const auto& object : objects_) {
    if (agent != nullptr && &object->agent() != agent) {
      continue;
    }
    for (const auto& symbol : object->symbols()) {
      if (symbol->name == name) {
        return symbol;
      }
    }
  }
  return nullptr;
}

std::vector<std::shared_ptr<LoadedObject>> Executable::objects() const {
  const std::lock_guard lock(mutex_);
  return objects_;
}

std::vector<std::shared_ptr<const ExecutableSymbol>> Executable::symbols() const {
  std::vector<std::shared_ptr<const ExecutableSymbol>> all;
  for (const auto& object : objects()) {
    all.insert(all.end(), object->symbols().begin(), object->symbols().end());
  }
  return all;
}

Executables& Executables::instance() {
  static auto* const executables = new Executables;
  return *executables;
}

void Executables::publish(const std::shared_ptr<LoadedObject>& object) {
  const std::unique_lock lock(mutex_);
  for (const auto& symbol : object->symbols()) {
    symbols.insert(symbol->handle, symbol);
    if (symbol->is_kernel) {
      kernels_.emplace(symbol->address, object);
    }
  }
}

void Executables::withdraw(const Executable& executable) {
  const auto all = executable.symbols();
  const std::unique_lock lock(mutex_);
  for (const auto& symbol : all) {
    symbols.erase(symbol->handle);
    kernels_.erase(symbol->address);
  }
}

std::shared_ptr<LoadedObject> Executables::object_of_kernel(std::uint64_t address) const {
  const std::shared_lock lock(mutex_);
  const auto found = kernels_.find(address);
  return found == kernels_.end() ? nullptr : found->second;
}

void Executables::clear() {
  for (const auto& [handle, executable] : executables.take_all()) {
    withdraw(*executable);
  }
  readers.take_all();
  code_objects.take_all();
}

} // namespace gantry::simt::hsa
