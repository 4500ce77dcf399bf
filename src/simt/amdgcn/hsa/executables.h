// Executables: code objects that are loaded for agents, and their symbols.
#pragma once

#include "base/bytes.h"
#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/handles.h"
#include "simt/amdgcn/objects/code_object.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <hsa/hsa.h>

namespace gantry::simt::hsa {

/// A kernel or a variable.
struct ExecutableSymbol {
  std::string name;
  const Agent* agent = nullptr;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t handle = 0;
  bool is_global = false;
  bool is_kernel = false;
  bool is_constant = false; ///< a variable that is not written
  /// Whether its executable is: before that it has no address.
  std::shared_ptr<const std::atomic<bool>> is_frozen;
  // Of a kernel:
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t kernarg_alignment = 0;
  std::uint32_t group_bytes = 0;
  std::uint32_t private_bytes = 0;
  bool uses_dynamic_stack = false;
};

/// A code object in an agent's memory. While it exists its kernels may run.
class LoadedObject {
public:
  /// Loads an object, parsed of the bytes. An error that is of the device if there is no memory.
  [[nodiscard]] static Result<std::shared_ptr<LoadedObject>>
  load(const amdgcn::CodeObject& object, Bytes bytes, const Agent& agent,
       const amdgcn::Resolver& resolve, std::shared_ptr<const std::atomic<bool>> is_frozen);
  ~LoadedObject();

  [[nodiscard]] const Agent& agent() const { return *agent_; }
  [[nodiscard]] const std::vector<std::shared_ptr<const ExecutableSymbol>>& symbols() const {
    return symbols_;
  }

  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

private:
  LoadedObject(const Agent& agent, std::shared_ptr<const std::atomic<bool>> is_frozen)
      : agent_(&agent), is_frozen_(std::move(is_frozen)) {}
  ExecutableSymbol symbol_of(const amdgcn::Symbol& symbol, std::uint64_t moved_by) const;
  void add_code(const amdgcn::CodeObject& object, Bytes bytes, std::uint64_t moved_by);
  void add_symbols(const amdgcn::CodeObject& object, std::uint64_t moved_by);

  const Agent* agent_;
  std::shared_ptr<const std::atomic<bool>> is_frozen_;
  std::uint64_t block_ = 0; ///< of DeviceMemory
  std::vector<std::unique_ptr<amdgcn::LoadedCode>> code_;
  std::vector<std::shared_ptr<const ExecutableSymbol>> symbols_;
};

class Executable {
public:
  /// All members may be called from any thread.
  [[nodiscard]] hsa_status_t define(std::string_view name, void* address);
  [[nodiscard]] hsa_status_t load(const Agent& agent, Bytes bytes);
  [[nodiscard]] hsa_status_t freeze();
  /// The symbol of an agent, or of any; null if there is none.
  [[nodiscard]] std::shared_ptr<const ExecutableSymbol> find(std::string_view name,
                                                             const Agent* agent) const;
  [[nodiscard]] std::vector<std::shared_ptr<const ExecutableSymbol>> symbols() const;
  [[nodiscard]] std::vector<std::shared_ptr<LoadedObject>> objects() const;

private:
  mutable std::mutex mutex_;
  std::shared_ptr<std::atomic<bool>> is_frozen_ = std::make_shared<std::atomic<bool>>(false);
  std::map<std::string, std::uint64_t, std::less<>> defined_; ///< by the program
  std::vector<std::shared_ptr<LoadedObject>> objects_;
};

/// Code objects that are to be loaded. The bytes are the program's.
struct CodeObjectBytes {
  Bytes bytes;
};

class Executables {
public:
  [[nodiscard]] static Executables& instance();

  Handles<Executable> executables;
  Handles<CodeObjectBytes> readers;
  Handles<CodeObjectBytes> code_objects;
  Handles<const ExecutableSymbol> symbols;

  /// Makes the symbols and kernels known, and forgets them.
  void publish(const std::shared_ptr<LoadedObject>& object);
  void withdraw(const Executable& executable);
  /// The loaded object that has a kernel's descriptor at the address, or null.
  [[nodiscard]] std::shared_ptr<LoadedObject> object_of_kernel(std::uint64_t address) const;
  /// Ends all.
  void clear();

  Executables(const Executables&) = delete;
  Executables& operator=(const Executables&) = delete;

private:
  Executables() = default;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<LoadedObject>> kernels_;
};

} // namespace gantry::simt::hsa
