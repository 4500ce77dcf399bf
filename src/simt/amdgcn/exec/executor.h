// Runs kernels of loaded code objects: what the HSA interface asks of the machine.
#pragma once

#include "simt/amdgcn/code/apertures.h"
#include "simt/amdgcn/objects/debug_sections.h"
#include "simt/amdgcn/objects/processor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::amdgcn {

/// LDS of a work-group, and private memory of a lane, at most.
inline constexpr std::uint32_t kMostGroupBytes = 64 << 10;
inline constexpr std::uint32_t kMostPrivateBytes = 128 << 10;
inline constexpr std::uint32_t kMostWorkGroup = 1024; ///< work-items

/// Of the constant clock that device code reads, in Hz.
inline constexpr std::uint64_t kClockFrequency = 100'000'000;

/// A symbol of a loaded code object, for reports.
struct CodeSymbol {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::string name;
};

/// What reports may look up of a loaded code object.
struct CodeSources {
  std::vector<CodeSymbol> functions;          ///< of its dynamic symbols, sorted by address
  std::shared_ptr<const DebugSections> debug; ///< null if there is nothing
  std::uint64_t moved_by = 0; ///< addresses in `debug` are less than those in memory by it
};

/// The executable bytes of a loaded code object. They stay as they are while this exists.
class LoadedCode {
public:
  /// `begin` is a multiple of 4.
  LoadedCode(const Processor& processor, std::uint64_t begin, std::uint64_t size,
             CodeSources sources);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  struct State;
  [[nodiscard]] State& state() const { return *state_; }

private:
  std::shared_ptr<State> state_;
};

enum class FaultKind : std::uint8_t {
  kMemory,             ///< an access that is not allowed
  kTrap,               ///< s_trap 2, which is what abort and failed assertions become
  kIllegalInstruction, ///< and what the executor does not know
  kInvalidPacket,      ///< the dispatch itself: sizes that do not fit
};

enum class FaultAccess : std::uint8_t { kNone, kRead, kWrite, kJump };

struct Fault {
  FaultKind kind = FaultKind::kTrap;
  std::uint64_t address = 0;               ///< of kMemory: a flat address
  std::string what;                        ///< the report's headline
  FaultAccess access = FaultAccess::kNone; ///< what was done at `address`, of global memory
  bool is_invalid = false;                 ///< that this may not be accessed is the fault
  std::string kernel;                      ///< empty if none has begun
  std::string position;                    ///< "sum.c:9"; empty if it is not known
  /// Several lines that begin with "gantry: error: ": kernel, position, work-group and lane, cause.
  std::string report;
};

struct Dispatch {
  const Processor* processor = nullptr;
  std::int32_t device = 0;  ///< ordinal, as in DeviceMemory
  std::uint64_t packet = 0; ///< address of an hsa_kernel_dispatch_packet_t that stays as it is
  std::uint64_t queue = 0;  ///< address of the amd_queue_t
};

/// To be called on threads of the program: if it is the process's first thread, which ends the
/// process as a rule, no code is being compiled any more when it begins to. Opens the compiler if
/// dispatches will wait for it.
void prepare_thread();

/// Runs the kernel to its end, on this thread and others. Any thread; not twice at once for one
/// packet.
[[nodiscard]] tl::expected<void, Fault> run(const Dispatch& dispatch);

} // namespace gantry::simt::amdgcn
