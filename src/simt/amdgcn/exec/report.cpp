#include "simt/amdgcn/exec/report.h"

#include "simt/amdgcn/exec/code_map.h"
#include "simt/memory/address_description.h"

#include <fmt/format.h>

namespace gantry::simt::amdgcn {

namespace {

std::string numbers(u32 x, u32 y, u32 z) {
  return fmt::format("({},{},{})", x, y, z);
}
std::string numbers(const std::array<u32, 3>& all) {
  return numbers(all[0], all[1], all[2]);
}

/// "work-group (1,0,0), work-item (5,0,0)"; of the whole wave without a lane.
std::string place_text(const Wave& wave, unsigned lane) {
  std::string text = "work-group " + numbers(wave.group[0], wave.group[1], wave.group[2]);
  if (lane >= kLanes) {
    return text + fmt::format(", wave {}", wave.number);
  }
  const u32 item = wave.number * wave.grid->lanes + lane;
  const u32 x = wave.group_size[0];
  const u32 y = wave.group_size[1];
  return text + ", work-item " + numbers(item % x, item / x % y, item / x / y);
}

/// Makes the fault the wave's, with its report, which ends with `detail`.
void set_fault(Wave& wave, const Instruction& instruction, unsigned lane, Fault fault,
               std::string_view detail = "") {
  const u64 address = wave.code->address_of(&instruction);
  const auto line = wave.code->source_line(address);
  fault.kernel = wave.grid->kernel;
  fault.position = line && *line ? source_text(**line) : "";
  const std::string source = fault.position.empty() ? "" : fmt::format(" ({})", fault.position);
  const std::string damage =
      line ? "" : fmt::format("  its line is not known: {}\n", line.error().message);
  const std::string text = wave.code->text_at(address);
  fault.report =
      fmt::format("gantry: error: kernel '{}'{}: {}\n  at {}{}{}\n  in {}\n{}{}", fault.kernel,
                  source, fault.what, wave.code->position(address), text.empty() ? "" : ": ", text,
                  place_text(wave, lane), damage, detail);
  wave.fault = std::move(fault);
}

FaultAccess access_of(AccessKind kind) {
  return kind == AccessKind::kLoad ? FaultAccess::kRead : FaultAccess::kWrite;
}

std::string_view word_of(AccessKind kind) {
  switch (kind) {
  case AccessKind::kLoad:
    return "load";
  case AccessKind::kStore:
    return "store";
  case AccessKind::kAtomic:
    return "atomic operation";
  }
  return "access";
}

constexpr MemoryWords kWords = {
    {// in the order of MemoryKind
     "device memory", "host memory that the device may use", "managed memory", "locked host memory",
     "a code object", "the heap of device code", "the LDS of another work-group",
     "the private memory of a work-group", "reserved addresses"},
    "pass the kernel memory of one of the agent's pools, or lock this memory with "
    "hsa_amd_memory_lock",
    "map memory there (hsa_amd_vmem_map) and let the agent access it (hsa_amd_vmem_set_access)"};

/// The report's lines.
std::string text_of(const AddressReport& report) {
  std::string text;
  for (const std::string& line : report.lines) {
    text += fmt::format("  {}\n", line);
  }
  return report.hint.empty() ? text : text + fmt::format("  hint: {}\n", report.hint);
}

std::string_view word_of(WaveAccess::Kind kind) {
  switch (kind) {
  case WaveAccess::Kind::kStore:
    return word_of(AccessKind::kStore);
  case WaveAccess::Kind::kAtomic:
    return word_of(AccessKind::kAtomic);
  default:
    return word_of(AccessKind::kLoad);
  }
}

/// "a write at sum.c:9 by work-group (1,0,0), the wave of work-item (0,0,0)".
std::string text_of(const RacingAccess& other) {
  const bool is_one = other.threads == RacingAccess::Threads::kOne;
  std::string who = "several waves";
  if (is_one) {
    who = (other.in_block ? "" : fmt::format("work-group {}, ", numbers(other.block))) +
          "the wave of work-item " + numbers(other.thread);
  }
  return fmt::format("{} at {} by {}{}",
                     other.wrote ? "a write"
                     : is_one    ? "a read"
                                 : "reads",
                     other.source, who,
                     other.kernel.empty() ? "" : fmt::format(" of kernel '{}'", other.kernel));
}

std::string_view what_orders(const RacingAccess& other) {
  if (!other.kernel.empty()) {
    return "dispatches of several queues are ordered by barrier packets and signals alone";
  }
  return other.in_block
             ? "the waves of a work-group need a barrier between a write and what others do there, "
               "or atomic operations"
             : "no barrier orders the work-groups of a dispatch: what several of them use needs "
               "atomic operations, a reduction, or another dispatch";
}

} // namespace

std::string source_text(const SourceLine& line) {
  return fmt::format("{}{}:{}", line.is_near ? "near " : "", line.file, line.line);
}

void report_finding(Wave& wave, const Instruction& instruction, const WaveAccess& access,
                    const CheckFinding& found) {
  const u64 offset = found.address - std::bit_cast<u64>(wave.place->shared);
  const bool shared = offset < wave.place->shared_size;
  const u64 flat_address = shared ? kSharedAperture + offset : found.address;
  const std::string what = fmt::format(
      "{} of {} at {}", word_of(access.kind), bytes_text(access.size),
      shared ? fmt::format("offset {:#x} of LDS", offset) : fmt::format("{:#x}", found.address));
  std::string detail;
  if (!shared) {
    detail = text_of(describe_memory(*wave.place->memory, wave.grid->device, found.address,
                                     access.size, kWords));
  }
  Fault fault{.kind = FaultKind::kMemory, .address = flat_address};
  if (!shared) {
    fault.access =
        access.kind == WaveAccess::Kind::kStore || access.kind == WaveAccess::Kind::kAtomic
            ? FaultAccess::kWrite
            : FaultAccess::kRead;
  }
  if (!found.other) {
    const char* const hint =
        shared ? "LDS has no value when a work-group begins"
               : "memory has no value until it is copied to, filled or stored to: see whether the "
                 "data are mapped to the device, and as large as the kernel takes them";
    fault.what = what + ", which nothing has been written to";
    set_fault(wave, instruction, found.lane, std::move(fault),
              detail + fmt::format("  hint: {}\n", hint));
    return;
  }
  const RacingAccess& other = *found.other;
  fault.what = fmt::format("race in {}: {}, not ordered with {}", shared ? "LDS" : "global memory",
                           what, text_of(other));
  set_fault(wave, instruction, found.lane, std::move(fault),
            fmt::format("  the other one is at {}\n{}  hint: {}\n", other.position, detail,
                        what_orders(other)));
}

void report_access(Wave& wave, const Instruction& instruction, unsigned lane, Space space,
                   u64 address, u32 size, AccessKind kind) {
  if (space == Space::kFlat) {
    const u64 aperture = address >> 32;
    space = aperture == kSharedAperture >> 32    ? Space::kShared
            : aperture == kPrivateAperture >> 32 ? Space::kPrivate
                                                 : Space::kGlobal;
    if (space != Space::kGlobal) {
      address = static_cast<u32>(address);
    }
  }
  const std::string access = fmt::format("{} of {}", word_of(kind), bytes_text(size));
  std::string what;
  std::string detail;
  u64 flat_address = address; // what a runtime is told, to which an offset would be an address
  switch (space) {
  case Space::kShared:
    flat_address = kSharedAperture + static_cast<u32>(address);
    what = fmt::format("{} beyond the work-group's LDS, at offset {:#x} of {:#x}", access, address,
                       wave.place->shared_size);
    break;
  case Space::kPrivate:
    flat_address = kPrivateAperture + static_cast<u32>(address);
    if (size <= wave.private_size &&
        address <= wave.private_size - size) { // only an atomic operation gets here
      what = fmt::format("{} on private memory, at offset {:#x}: a lane's dwords do not lie beside "
                         "each other there",
                         access, address);
      break;
    }
    what = fmt::format("{} beyond the work-item's private memory, at offset {:#x} of {:#x}", access,
                       address, wave.private_size);
    detail = "  private memory holds what is on the stack: is an array's end passed, or the stack "
             "too small (GANTRY_DEVICES=simt-amd+stack=64K; -foffload-options=-mstack-size=131072 "
             "for GCC's)?\n";
    break;
  default:
    what = fmt::format("{} at {:#x}, which is not accessible", access, address);
    detail =
        text_of(describe_memory(*wave.place->memory, wave.grid->device, address, size, kWords));
    break;
  }
  Fault fault{.kind = FaultKind::kMemory, .address = flat_address, .what = std::move(what)};
  if (flat_address == address) {
    fault.access = access_of(kind);
    fault.is_invalid = true;
  }
  set_fault(wave, instruction, lane, std::move(fault), detail);
}

void report_misaligned(Wave& wave, const Instruction& instruction, unsigned lane, u64 address,
                       u32 size) {
  set_fault(wave, instruction, lane,
            {.kind = FaultKind::kMemory,
             .address = address,
             .what = fmt::format("atomic operation of {} at {:#x}, which is no multiple of that",
                                 bytes_text(size), address),
             .access = FaultAccess::kWrite});
}

void report_trap(Wave& wave, const Instruction& instruction) {
  set_fault(
      wave, instruction, kLanes,
      {.kind = FaultKind::kTrap, .what = "a trap: abort, a failed assertion or __builtin_trap"});
}

void report_jump(Wave& wave, const Instruction& instruction, u64 address) {
  set_fault(wave, instruction, kLanes,
            {.kind = FaultKind::kIllegalInstruction,
             .address = address,
             .what = fmt::format("a jump to {:#x}, where no code is loaded", address),
             .access = FaultAccess::kJump});
}

void report_instruction(Wave& wave, const Instruction& instruction, std::string_view why) {
  set_fault(wave, instruction, kLanes,
            {.kind = FaultKind::kIllegalInstruction,
             .address = wave.code->address_of(&instruction),
             .what = fmt::format("the executor does not run this: {}", why)});
}

} // namespace gantry::simt::amdgcn
