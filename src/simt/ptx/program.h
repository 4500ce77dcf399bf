// Modules linked to one program (what cuLinkComplete, or cuModuleLoadData of a single text, makes).
//
// One namespace for .visible, .extern, .weak and .common names; names without linkage stay private
// to their module. Of several .weak definitions the first holds, a .visible one goes before them,
// two .visible ones are an error, and so is an .extern that nobody defines, unless it is one of the
// functions that the driver itself offers (system_calls()).
#pragma once

#include "simt/ptx/module.h"

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::ptx {

/// Functions of device code that the driver defines: vprintf, malloc, free, __assertfail.
enum class SystemCall : std::uint8_t { kVprintf, kMalloc, kFree, kAssertfail };
[[nodiscard]] std::optional<SystemCall> system_call_named(std::string_view name);

/// A function of the program: a definition, or a system call.
struct ProgramFunction {
  std::uint32_t module = 0;
  std::uint32_t function = 0; ///< in Module::functions
  std::optional<SystemCall> system_call;
};

/// A variable with storage that outlives calls: of module scope, or declared inside a function with
/// .global, .const or .shared. Its place is chosen when the program is loaded, that of a shared one
/// for each kernel (Reachable).
struct ProgramVariable {
  std::uint32_t module = 0;
  const Variable* variable = nullptr; ///< points into its Module
  std::string_view name;              ///< as the host looks it up; "function::name" is not offered
  Space space = Space::kGlobal;
  bool dynamic_shared = false; ///< .extern .shared x[]: at the end of the static ones
};

/// Where a symbol of a module leads.
struct Target {
  enum class Kind : std::uint8_t { kFunction, kVariable };
  Kind kind = Kind::kVariable;
  /// In Program::functions or Program::variables; Program::kNoStorage for what is declared, but
  /// neither used nor defined.
  std::uint32_t index = 0;
};

/// Immutable once linked; may be read from any thread.
struct Program {
  std::vector<std::unique_ptr<Module>> modules;
  std::vector<ProgramFunction> functions;
  std::vector<ProgramVariable> variables;
  /// By module, then by index in Module::symbols.
  std::vector<std::vector<Target>> symbols;
  /// By module, function and index in Function::variables: index in `variables` for those with
  /// storage of their own; kNoStorage for parameters and .local ones.
  std::vector<std::vector<std::vector<std::uint32_t>>> function_variables;
  static constexpr std::uint32_t kNoStorage = 0xFFFFFFFF;
  /// Identifies the program's contents: two programs with the same hash are the same text.
  std::array<std::uint64_t, 2> hash = {};

  [[nodiscard]] const Function& definition(std::uint32_t function) const {
    const ProgramFunction& entry = functions[function];
    return modules[entry.module]->functions[entry.function];
  }
  /// The entry point of that name.
  [[nodiscard]] std::optional<std::uint32_t> find_entry(std::string_view name) const;
  /// The variable of module scope of that name, of whatever linkage; of several private ones with
  /// the name, the first.
  [[nodiscard]] std::optional<std::uint32_t> find_variable(std::string_view name) const;

  std::unordered_map<std::string_view, std::uint32_t> entry_names;
  std::unordered_map<std::string_view, std::uint32_t> variable_names;
};

/// What a kernel needs of a block and what can be reached from it.
struct Reachable {
  struct Shared {
    std::uint32_t variable = 0; ///< in Program::variables, space kShared
    std::uint32_t offset = 0;   ///< bytes from the start of the block's shared memory
  };
  std::vector<std::uint32_t> functions; ///< in Program::functions, the kernel first …
  std::size_t direct = 0;               ///< … and up to here those that it mentions itself
  std::vector<Shared> shared;           ///< the dynamic ones all at the end, at static_shared
  std::uint32_t static_shared = 0;      ///< bytes, a multiple of the dynamic part's alignment
};

/// The functions that a launch of `entry` may execute: called directly, or with their address taken
/// in what it reaches, variables' initialisers included; if something calls through a pointer, then
/// in any variable's initialiser.
[[nodiscard]] Reachable reachable_from(const Program& program, std::uint32_t entry);

/// Links modules. The error names the symbol and the modules, in the style of NVIDIA's linker.
[[nodiscard]] tl::expected<std::unique_ptr<Program>, std::string>
link(std::vector<std::unique_ptr<Module>> modules);

} // namespace gantry::simt::ptx
