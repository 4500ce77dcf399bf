// Instructions as the executor runs them: read once from their bits, with the function that is
// their meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gantry::simt::amdgcn {

struct CompiledPlace;
struct Wave;
struct Instruction;
struct Processor;

/// The formats of encodings, by the manuals' names. VOP1, VOP2 and VOPC have a longer form each:
/// VOP3.
enum class Format : std::uint8_t {
  kSop1,
  kSop2,
  kSopk,
  kSopc,
  kSopp,
  kSmem,
  kVop1,
  kVop2,
  kVopc,
  kVop3,
  kVop3p,
  kDs,
  kMubuf,
  kFlat,
  kGlobal,
  kScratch,
  kVopd,       ///< two operations at once: the first one
  kVopdSecond, ///< and the second one
};

/// What an operand is to an instruction's meaning: its size, and how constants are read.
enum class Type : std::uint8_t {
  kNone,
  kB16,
  kF16,
  kB32,
  kF32,
  kB64,
  kI64,
  kF64,
  kB96,
  kB128,
  kB256,
  kB512,
  kB1024
};

[[nodiscard]] constexpr unsigned registers_of(Type type) {
  switch (type) {
  case Type::kNone:
    return 0;
  case Type::kB16:
  case Type::kF16:
  case Type::kB32:
  case Type::kF32:
    return 1;
  case Type::kB64:
  case Type::kI64:
  case Type::kF64:
    return 2;
  case Type::kB96:
    return 3;
  case Type::kB128:
    return 4;
  case Type::kB256:
    return 8;
  case Type::kB512:
    return 16;
  case Type::kB1024:
    return 32;
  }
  return 0;
}

[[nodiscard]] constexpr bool is_float(Type type) {
  return type == Type::kF16 || type == Type::kF32 || type == Type::kF64;
}
/// Of the numbers in a register or in a pair of them.
[[nodiscard]] constexpr unsigned bits_of(Type type) {
  return type == Type::kB16 || type == Type::kF16 ? 16 : 32 * registers_of(type);
}

/// How the executor goes on behind an instruction.
enum class Next : std::uint8_t {
  kOn,      ///< with the wave's pc
  kYield,   ///< likewise, but others first
  kMode,    ///< likewise, in another mode
  kBarrier, ///< when all of the work-group's waves are there
  kEnd,     ///< not at all
  kFault,   ///< not at all: the wave's fault says why
};

/// What instructions of a mnemonic do. Constant.
struct Meaning {
  using Run = Next (*)(Wave& wave, const Instruction& instruction);
  enum class Kind : std::uint8_t {
    kScalar,         ///< writes SGPRs, or SCC alone
    kScalarLoad,     ///< loads SGPRs
    kBranch,         ///< whose target is in the instruction
    kFlow,           ///< other control of the wave, with a number in the instruction
    kVector,         ///< writes VGPRs
    kCompare,        ///< writes a mask of lanes
    kVectorToScalar, ///< writes an SGPR
    kMemory,         ///< flat, global, scratch and buffer accesses
    kShared,         ///< accesses to LDS, and exchanges of lanes
  };
  /// Whatever the sources are; if there are `runs`, with VGPRs as sources.
  Run run = nullptr;
  Run clamped = nullptr; ///< of integers: with results that stay at the type's bounds
  /// What a lane has of the bits of its sources, and of its bit of the mask that is read.
  struct LaneResult {
    std::uint64_t value = 0;
    bool bit = false; ///< of the mask that is written
  };
  using Lane = LaneResult (*)(std::uint64_t a, std::uint64_t b, std::uint64_t c, bool bit);
  /// Of what works lane by lane, in the meanings that the compiler reads; null where they are run.
  Lane lane = nullptr;
  Lane clamped_lane = nullptr;
  /// Of branches: whether the wave goes on at the target.
  bool (*is_taken)(const Wave& wave) = nullptr;
  /// By which of the first sources are VGPRs: a bit for each of `run_sources`.
  const Run* runs = nullptr;
  std::uint8_t run_sources = 0;
  Kind kind = Kind::kScalar;
  Type result = Type::kNone;
  Type sources[3] = {};
  bool reads_result = false; ///< the result's old value is the last source
  bool writes_mask = false;  ///< a mask of lanes beside the result: VCC, or an SGPR pair
  bool reads_mask = false;   ///< the source behind `sources` is a mask of lanes
  bool reads_vcc = false;    ///< which is no operand
  bool writes_exec = false;  ///< beside the mask; on gfx11 alone
  bool has_literal = false;  ///< the constant behind the instruction is a source: v_madmk, v_madak
  bool is_atomic = false;    ///< the result is written if the instruction asks for it
  std::uint8_t scalars = 0;  ///< a bit for each source that must not be a VGPR
  /// Two results at once, whose sources the instruction chooses.
  enum class Packs : std::uint8_t {
    kNothing,
    kShorts, ///< integers of 16 bits
    kHalves,
    kFloats,
    kMove,  ///< of 32 bits, whose sources are one operand each
    kMixed, ///< one result, of sources that are floats or halves
    kDot,   ///< one result, of all elements of the sources
    kMatrix,
    kDoubleMatrix,
  };
  Packs packs = Packs::kNothing;
  bool reads_accumulator = false;  ///< the source is an AccVGPR
  bool writes_accumulator = false; ///< and the result
  bool exact = false;              ///< neither modifiers nor SDWA make sense of it
  /// Of 16 bits, from gfx9 on: the register's other half is kept, and VOP3 chooses halves.
  bool keeps_half = false;
  bool keeps_denormals = false; ///< of floats, in a mode that flushes them
};

/// Null if the executor does not know the mnemonic, which is one without "_e32", "_e64", "_sdwa".
[[nodiscard]] const Meaning* find_meaning(std::string_view mnemonic, const Processor& processor);

struct Source {
  enum class Kind : std::uint8_t { kNone, kVector, kScalar, kConstant };
  Kind kind = Kind::kNone;
  std::uint16_t index = 0; ///< of the first register
  std::uint64_t constant = 0;
};

/// Which part of a register SDWA takes.
enum class Part : std::uint8_t { kByte0, kByte1, kByte2, kByte3, kWord0, kWord1, kDword };

/// DPP: which lane a lane's first source is of.
struct LanePattern {
  static constexpr std::uint16_t kNone = 0xffff;
  std::uint16_t control = kNone;
  std::uint8_t rows = 0xf, banks = 0xf; ///< which lanes are written: a bit for each row, and bank
  bool zero_outside = false;            ///< else lanes without a source are not written
  bool reads_inactive = false;          ///< else inactive lanes are no sources
};

/// Without the factor of a result ("mul:2"), which hardware ignores where denormal numbers are kept
/// or NaNs are IEEE 754's: in all code of both compilers.
struct Modifiers {
  std::uint8_t negate = 0;   ///< a bit for each source
  std::uint8_t absolute = 0; ///< a bit for each source
  bool clamp = false;
  std::uint8_t sign = 0; ///< SDWA: a bit for each source whose part is sign-extended
  Part parts[3] = {Part::kDword, Part::kDword, Part::kDword};
  Part result = Part::kDword;
  std::uint8_t unused = 0; ///< the result's rest: 0 becomes zero, 1 the sign, 2 is kept

  [[nodiscard]] bool changes_source(unsigned number) const {
    return (((negate | absolute) >> number) & 1) != 0 || parts[number] != Part::kDword;
  }
  [[nodiscard]] bool any() const {
    return negate != 0 || absolute != 0 || clamp || sign != 0 || parts[0] != Part::kDword ||
           parts[1] != Part::kDword || parts[2] != Part::kDword || result != Part::kDword;
  }
};

/// VOP3P: a bit for each source. Which half of it the result's lower half and upper half are of,
/// and whether it is negated there.
struct PackedModifiers {
  std::uint8_t low = 0, high = 0;
  std::uint8_t negate_low = 0, negate_high = 0;
  bool clamp = false;
};

/// The scalar registers as operands of gfx9 number them, and SCC and registers of ours beyond them.
namespace scalar {
inline constexpr unsigned kFlatScratch = 102;
inline constexpr unsigned kVcc = 106;
inline constexpr unsigned kM0 = 124;
inline constexpr unsigned kExec = 126;
inline constexpr unsigned kScc = 128;     ///< operands name it 253
inline constexpr unsigned kNull = 130;    ///< a pair of zeros, gfx11's null as a source
inline constexpr unsigned kNowhere = 132; ///< a pair that nothing reads, null as a result
inline constexpr unsigned kCount = 134;
} // namespace scalar

/// VGPRs, AccVGPRs, and rows for operands that are changed before the instruction: by modifiers
/// (two for each source, and two for the result), by a mode that flushes denormal numbers (one for
/// each source), and by DPP; and one for the second result of VOPD.
namespace vector {
inline constexpr unsigned kRegisters = 256;
inline constexpr unsigned kAccumulators = 256; ///< the first one
inline constexpr unsigned kScratch = 512;
inline constexpr unsigned kModifiedResult = kScratch + 6;
inline constexpr unsigned kFlushed = kScratch + 8;
inline constexpr unsigned kFlushedResult = kScratch + 11;
inline constexpr unsigned kPermuted = kScratch + 12;
inline constexpr unsigned kSecondResult = kScratch + 13;
inline constexpr unsigned kCount = kScratch + 14;
} // namespace vector

/// An entry of a table of meanings.
struct MeaningEntry {
  std::string_view mnemonic;
  Meaning meaning;
};

/// Of a size by which numbers of places are quickly multiplied.
struct alignas(128) Instruction {
  /// Null until the instruction has been read.
  Meaning::Run run = nullptr;
  Source sources[4];
  std::int64_t offset = 0;    ///< of an address, or of a branch's target from this instruction
  std::uint16_t result = 0;   ///< first VGPR or SGPR
  std::uint16_t mask = 0;     ///< SGPR pair for the mask of lanes that is written
  std::uint16_t data[2] = {}; ///< of stores and atomics: first VGPRs
  std::uint16_t address = 0;  ///< first VGPR
  std::uint16_t number = 0;   ///< an immediate operand
  std::uint8_t size = 0;      ///< dwords
  Format format = Format::kSop1;
  bool has_vector_address = true; ///< buffer, scratch and global accesses
  bool has_scalar_address = false;
  bool returns = false; ///< an atomic operation's old value is wanted
  Modifiers modifiers;
  PackedModifiers packed;
  LanePattern lanes;
  const Meaning* meaning = nullptr;
  /// Of VOPD, in loaded code: both operations.
  const Instruction* operations = nullptr;
  /// Of loaded code that has been compiled: how to enter it here.
  const CompiledPlace* compiled = nullptr;
  /// Likewise, how often it has been called, while it is interpreted.
  mutable std::uint32_t calls = 0;
};

} // namespace gantry::simt::amdgcn
