// Functions made ready for the interpreter: operands resolved to places, instructions to handlers.
//
// A function is decoded when it is first called, once for all kernels and warps of its program;
// what differs between kernels (addresses of shared variables) or calls (local memory) is looked up
// through the Warp and the frame.
#pragma once

#include "simt/exec/arithmetic.h"
#include "simt/exec/warp.h"
#include "simt/ptx/program.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace gantry::simt::exec::interpreter {

class Machine;
struct Group;
struct Operation;

/// A value of each lane. Registers are columns; a value has zeros above its register's width.
using Column = std::array<std::uint64_t, kLanes>;

/// Executes an instruction for the lanes of `active`, at least one. Group::pc is already that of
/// the next instruction.
using Handler = void (*)(Machine&, Group&, const Operation&, LaneMask active);

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

struct Source {
  enum class Kind : std::uint8_t {
    kRegister, ///< index: the column in the frame
    kConstant,
    kSpecial,
    kVariable, ///< address of the program's variable `index`, `value` bytes on
    kLocal,    ///< address in the local window, `value` bytes into the frame's part
    kFunction, ///< handle of function `index`
  };
  Kind kind = Kind::kConstant;
  bool negated = false; ///< a predicate
  ptx::SpecialRegister special = ptx::SpecialRegister::kTidX;
  std::uint8_t element = 0;
  std::uint32_t index = 0;
  std::uint64_t value = 0;
  const Column* constant = nullptr;
};

struct Destination {
  std::uint32_t column = kNone;      ///< kNone: the result is not wanted
  ptx::Type type = ptx::Type::kNone; ///< the register's
};

/// What is passed to a function or comes back: bytes of a .param variable of the frame, or a
/// register.
struct Passed {
  enum class Kind : std::uint8_t { kNothing, kFrame, kLocal, kRegister, kValue };
  Kind kind = Kind::kNothing;
  std::uint32_t offset = 0; ///< kFrame, kLocal: bytes; kRegister: the column
  std::uint32_t size = 0;   ///< bytes
  std::uint64_t value = 0;  ///< kValue
};

struct CallSite {
  std::uint32_t function = kNone; ///< in Program::functions; kNone: `handle` says
  Source handle;
  std::vector<Passed> results, arguments;
};

/// Where an access goes: base + offset in a space.
struct Address {
  ptx::Space space = ptx::Space::kGeneric;
  bool in_frame = false; ///< kParam: in the frame's own bytes, at `offset`; else the kernel's
  bool narrow = false;   ///< the base is a register of 32 bits
  Source base;
  std::int64_t offset = 0;
};

enum class Order : std::uint8_t { kRelaxed, kAcquire, kRelease };

struct Operation {
  Handler handler = nullptr;
  const ptx::Instruction* instruction = nullptr;
  std::uint32_t index = 0; ///< in its function
  Site site = 0;
  std::uint32_t guard = kNone; ///< column of the predicate
  bool guard_negated = false;
  ptx::Type type = ptx::Type::kNone;   ///< the instruction's first
  ptx::Type second = ptx::Type::kNone; ///< and second
  std::vector<Source> sources;
  std::vector<Destination> destinations;
  Arithmetic arithmetic;
  std::uint32_t detail = 0; ///< what the handler's family says
  Order order = Order::kRelaxed;
  std::uint8_t vector = 1;
  Address address, copied;            ///< `copied`: where cp.async reads
  std::vector<std::uint32_t> targets; ///< of branches, indices of instructions
  std::unique_ptr<CallSite> call;

  [[nodiscard]] bool has(ptx::Modifier modifier) const { return instruction->has(modifier); }
};

struct DecodedFunction {
  std::uint32_t index = 0; ///< in Program::functions
  const ptx::Function* function = nullptr;
  std::uint32_t columns = 0;     ///< of a frame
  std::uint64_t frame_bytes = 0; ///< of .param variables, a lane
  std::uint64_t local_bytes = 0; ///< of .local variables, a lane
  std::uint32_t local_alignment = 1;
  std::vector<Passed> parameters, results; ///< as the function itself sees them
  std::vector<Operation> operations;
  std::deque<Column> constants;
};

class DecodedProgram {
public:
  /// That of a program; the same object for as long as the program lives. From any thread.
  [[nodiscard]] static std::shared_ptr<DecodedProgram>
  of(const std::shared_ptr<const ptx::Program>& program);

  explicit DecodedProgram(std::weak_ptr<const ptx::Program> program);

  /// From any thread, while the program lives. The function must be one without refusals.
  [[nodiscard]] const DecodedFunction& function(std::uint32_t index);
  [[nodiscard]] bool is_of(const std::shared_ptr<const ptx::Program>& program) const;
  [[nodiscard]] bool is_expired() const { return program_.expired(); }

private:
  std::weak_ptr<const ptx::Program> program_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<DecodedFunction>> decoded_;
  std::vector<std::atomic<const DecodedFunction*>> published_;
};

[[nodiscard]] std::unique_ptr<DecodedFunction> decode(const ptx::Program& program,
                                                      std::uint32_t index);

/// The handlers, by family; null for an instruction that is not of the family. They may set
/// Operation::arithmetic and Operation::detail.
[[nodiscard]] Handler integer_handler(Operation& operation);
[[nodiscard]] Handler carry_handler(const Operation& operation);
[[nodiscard]] Handler bit_handler(Operation& operation);
[[nodiscard]] Handler float_handler(Operation& operation);
[[nodiscard]] Handler compare_handler(Operation& operation);
[[nodiscard]] Handler video_handler(Operation& operation);
[[nodiscard]] Handler move_handler(const Operation& operation);
[[nodiscard]] Handler memory_handler(Operation& operation);
[[nodiscard]] Handler atomic_handler(Operation& operation);
[[nodiscard]] Handler warp_handler(Operation& operation);
[[nodiscard]] Handler control_handler(const Operation& operation);

} // namespace gantry::simt::exec::interpreter
