// A parsed PTX module: what parse() makes of a text, and what the verifier and the compiler
// read.
//
// Names are resolved: an operand that names a register, a variable, a function or a label holds an
// index into the tables of its function or its module, so that scopes and name look-ups end here.
// Everything is plain data that owns itself; string_views point into Module::text. A Module is
// immutable once parsed and may be read from any thread.
#pragma once

#include "simt/ptx/type.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::simt::ptx {

/// Of a kernel's parameters, with what their alignment leaves out.
inline constexpr std::uint64_t kMaxParameterBytes = 32764;

/// A place in the PTX text, counted from one. Zero: not known.
struct Location {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class Opcode : std::uint8_t {
  kUnknown,
#define GANTRY_PTX_OPCODE(name) k_##name,
#include "simt/ptx/opcodes.def"
#undef GANTRY_PTX_OPCODE
};

enum class Modifier : std::uint8_t {
#define GANTRY_PTX_MODIFIER(name, word) k##name,
#include "simt/ptx/modifiers.def"
#undef GANTRY_PTX_MODIFIER
  kCount,
};

class ModifierSet {
public:
  void insert(Modifier modifier) { bits_.set(static_cast<std::size_t>(modifier)); }
  [[nodiscard]] bool has(Modifier modifier) const {
    return bits_.test(static_cast<std::size_t>(modifier));
  }

private:
  std::bitset<static_cast<std::size_t>(Modifier::kCount)> bits_;
};

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam, kRegister };

enum class SpecialRegister : std::uint8_t {
#define GANTRY_PTX_SPECIAL_XYZ(name, word) k##name##X, k##name##Y, k##name##Z,
#define GANTRY_PTX_SPECIAL(name, word, elements) k##name,
#include "simt/ptx/special_registers.def"
  kEnvreg, ///< the operand's `value` is its number, 0 to 31
  kPm,     ///< %pm0 … %pm7 and their 64-bit forms: read as zero
};

/// A general 64-bit-wide literal: an integer, or the bits of a floating-point one.
struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,  ///< index: in Function::registers; element: 0 … 3 of a vector register, or kWhole
    kSpecial,   ///< special
    kInteger,   ///< value, as written, sign extended to 64 bits
    kFloat32,   ///< value: the 32 bits of 0fXXXXXXXX
    kFloat64,   ///< value: the 64 bits of 0dXXXXXXXXXXXXXXXX, or of a decimal literal like 1.5
    kVariable,  ///< index: in Function::variables; value: added bytes
    kSymbol,    ///< index: in Module::symbols; value: added bytes
    kAddress,   ///< [base + value]; members[0] is the base: register, variable, symbol or integer 0
    kVector,    ///< {members…}
    kPair,      ///< members[0]|members[1], a second destination
    kLabel,     ///< index: in Function::labels
    kLabelList, ///< index: in Function::label_lists (.branchtargets)
    kCallTargets, ///< index: in Function::call_targets (.calltargets, or a table of functions)
    kPrototype,   ///< index: in Function::prototypes
    kSink,        ///< _
  };
  static constexpr std::uint8_t kWhole = 0xFF;

  Kind kind = Kind::kSink;
  bool negated = false; ///< !p, for predicates
  bool minus = false;   ///< -r, as old video instructions write it
  std::uint8_t element = kWhole;
  SpecialRegister special = SpecialRegister::kTidX;
  std::uint32_t index = 0;
  std::int64_t value = 0;
  std::vector<Operand> members;
};

struct Guard {
  std::uint32_t register_index = 0; ///< a predicate register
  bool negated = false;
};

struct Instruction {
  Opcode opcode = Opcode::kUnknown;
  /// Some modifier was a word that modifiers.def and the types do not have.
  bool unknown_modifier = false;
  ModifierSet modifiers;
  std::array<Type, 4> types = {}; ///< in the order of writing; kNone beyond the last
  std::uint8_t type_count = 0;
  /// The number after a word with one in modifiers: 3 of shfl… has none, `.L2::128B` has none; the
  /// immediate table of cp.async's size and the like are operands. Kept for messages alone.
  std::string_view name; ///< as written, modifiers included: "add.rn.f32"
  std::optional<Guard> guard;
  std::vector<Operand> operands; ///< destinations first, as written; of a call: see below
  Location location;
  std::uint32_t source = 0; ///< index + 1 in Function::sources of the .loc in force; 0: none

  [[nodiscard]] bool has(Modifier modifier) const { return modifiers.has(modifier); }
  [[nodiscard]] Type type(unsigned index = 0) const { return types[index]; }
};
// A call has four operands: a kVector of the results, the target (kSymbol, or kRegister for an
// indirect one), a kVector of the arguments, and a kPrototype, kCallTargets or kSink.

enum class Linkage : std::uint8_t { kPrivate, kVisible, kExtern, kWeak, kCommon };

/// What one word of an initialiser is made of: a number, or the address of a symbol.
struct InitialValue {
  std::uint64_t bits = 0;              ///< of a number; with a symbol: added to its address
  std::optional<std::uint32_t> symbol; ///< in Module::symbols
  bool generic = false;                ///< generic(symbol): its generic address
  std::uint8_t mask_shift = 0;         ///< 0xFF00(symbol): the byte from bit 8 …
  bool masked = false;                 ///< … alone
};

struct Variable {
  std::string_view name;
  Space space = Space::kGlobal;
  Linkage linkage = Linkage::kPrivate;
  Type type = Type::kB8;       ///< of an element
  std::uint8_t vector = 1;     ///< elements are vectors of so many: .v2, .v4
  std::uint32_t alignment = 1; ///< bytes, as declared or natural
  std::uint64_t count = 1;     ///< elements of the array, 1 for a scalar, 0 for `x[]`
  bool is_array = false;
  std::uint8_t dimensions = 0; ///< of an array
  bool managed = false;
  /// For a parameter of a function with `.reg`: the register that receives it.
  std::optional<std::uint32_t> register_index;
  std::vector<InitialValue> initial; ///< flattened; those missing are zero
  Location location;

  [[nodiscard]] std::uint64_t size_of_element() const {
    return std::uint64_t{vector} * size_of(type);
  }
  [[nodiscard]] std::uint64_t size() const { return count * size_of_element(); }
};

struct Register {
  std::string_view name;
  Type type = Type::kB32;
  std::uint8_t vector = 1; ///< 2 or 4 for `.reg .v2 .u32 %r`
};

struct Label {
  std::string_view name;
  std::uint32_t instruction = 0; ///< that it stands in front of; may be instructions.size()
};

/// .callprototype, or the interface of a function.
struct Prototype {
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  bool noreturn = false;
};

struct SourcePosition {
  std::uint32_t file = 0; ///< the number that .file gives
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// A launch bound of an entry: .maxntid, .reqntid. Zero: not given.
struct Dim3 {
  std::uint32_t x = 0, y = 0, z = 0;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool is_defined = false; ///< has a body
  bool noreturn = false;
  Linkage linkage = Linkage::kPrivate;
  /// Results and parameters: indices into `variables`, in space kParam (or kRegister).
  std::vector<std::uint32_t> results;
  std::vector<std::uint32_t> parameters;

  std::vector<Register> registers;
  /// Everything declared inside: parameters, .param of call blocks, .local, and function-level
  /// .shared, .global and .const, whose storage is one for all calls.
  std::vector<Variable> variables;
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<std::vector<std::uint32_t>> label_lists;
  std::vector<std::vector<std::uint32_t>> call_targets; ///< indices in Module::symbols
  std::vector<Prototype> prototypes;
  std::vector<SourcePosition> sources;

  Dim3 max_threads;                   ///< .maxntid
  Dim3 required_threads;              ///< .reqntid
  Dim3 cluster;                       ///< .reqnctapercluster
  bool explicit_cluster = false;      ///< .explicitcluster
  bool blocks_are_clusters = false;   ///< .blocksareclusters
  std::uint32_t max_cluster_rank = 0; ///< .maxclusterrank; 0: not given
  std::uint32_t max_registers = 0;
  std::uint32_t min_blocks = 0;
  Location location;
};

/// A name of the module's scope.
struct Symbol {
  enum class Kind : std::uint8_t { kFunction, kVariable };
  std::string_view name;
  Kind kind = Kind::kVariable;
  std::uint32_t index = 0; ///< in Module::functions or Module::variables
};

struct Module {
  std::string text; ///< what was parsed; all names point into it
  std::string name; ///< what messages call it
  unsigned version_major = 0, version_minor = 0;
  unsigned target = 0; ///< 80 for sm_80
  std::string_view target_name;
  bool debug = false;
  unsigned address_size = 64;

  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<Symbol> symbols; ///< in order of first declaration; an alias is a symbol of its own
  std::vector<std::pair<std::uint32_t, std::string_view>> files; ///< .file number and name

  /// The index of a name of the module's scope in `symbols`.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  /// The name of a .file, or nothing.
  [[nodiscard]] std::string_view file_named(std::uint32_t number) const;
};

} // namespace gantry::simt::ptx
