#include "plugins/worker/server/machine.h"

#include <cerrno>

#include <gantry/plugin.h>
#include <ucontext.h>
#include <unistd.h>

namespace gantry::worker {

#if defined(__x86_64__)

Interrupted interrupted(const siginfo_t& information, const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  constexpr long long kWriting = 1 << 1; // in the page fault's error code
  constexpr long long kFetching = 1 << 4;
  return {.code = static_cast<std::uint64_t>(registers[REG_RIP]),
          .stack = static_cast<std::uintptr_t>(registers[REG_RSP]),
          .accessed = reinterpret_cast<std::uintptr_t>(information.si_addr),
          .access = (registers[REG_ERR] & kFetching) != 0  ? GANTRY_FAULT_ACCESS_CALL
                    : (registers[REG_ERR] & kWriting) != 0 ? GANTRY_FAULT_ACCESS_WRITE
                                                           : GANTRY_FAULT_ACCESS_READ,
          // The system does not know the address if it is none that memory can have.
          .accessed_is_known = information.si_code > 0 && information.si_code != SI_KERNEL};
}

bool is_behind_call(std::uint64_t address) {
  const auto byte = [&](int before) {
    return *reinterpret_cast<const unsigned char*>(address - static_cast<std::uint64_t>(before));
  };
  constexpr unsigned kRelativeCall = 0xe8; // a call of a function by its distance
  constexpr unsigned kIndirectCall = 0xff; // a call by way of a register or memory, if /2 follows
  const auto is_indirect = [&](int length) {
    return byte(length) == kIndirectCall && (byte(length - 1) >> 3 & 7) == 2;
  };
  return byte(5) == kRelativeCall || is_indirect(2) || is_indirect(3) || is_indirect(4) ||
         is_indirect(6) || is_indirect(7);
}

#else

namespace {

std::uint32_t instruction_at(std::uint64_t address) {
  return *reinterpret_cast<const std::uint32_t*>(address);
}

#if defined(__aarch64__)

/// Arm's "A64 Instruction Set Architecture", loads and stores.
bool is_store(std::uint32_t instruction) {
  const std::uint32_t kind = instruction >> 27 & 7; // bits 29 to 27
  const bool loads = (instruction >> 22 & 1) != 0;
  if ((instruction & 0x0a000000) != 0x08000000) {
    return true; // none of them, and the others that access memory clear it
  }
  if (kind != 7) {
    return kind != 3 && !loads; // 3: from an address beside the code
  }
  const bool atomic = (instruction & 0x01200c00) == 0x00200000;
  const std::uint32_t operation = instruction >> 22 & 3;
  const bool of_vectors = (instruction >> 26 & 1) != 0;
  return operation == 0 || (of_vectors && operation == 2) || (atomic && !of_vectors);
}

std::uint64_t base_of(std::uint32_t instruction, const mcontext_t& registers) {
  const std::uint32_t number = instruction >> 5 & 31;
  return number == 31 ? registers.sp : registers.regs[number];
}

std::uint64_t code_of(const mcontext_t& registers) {
  return registers.pc;
}
std::uint64_t stack_of(const mcontext_t& registers) {
  return registers.sp;
}
std::uint64_t caller_of(const mcontext_t& registers) {
  constexpr int kLink = 30;
  return registers.regs[kLink];
}

bool is_call(std::uint32_t instruction) {
  return (instruction & 0xfc000000) == 0x94000000 || // bl
         (instruction & 0xfffffc1f) == 0xd63f0000;   // blr
}

#elif defined(__powerpc64__)

/// "Power ISA", book I: instructions by their primary and extended opcodes.
bool is_store(std::uint32_t instruction) {
  const std::uint32_t primary = instruction >> 26;
  if (primary == 31) {
    constexpr std::uint32_t kStores[] = {135, 140, 149, 150, 151, 167,  181, 183, 199, 214,
                                         215, 231, 247, 396, 397, 407,  439, 487, 652, 660,
                                         661, 662, 663, 694, 695, 716,  725, 726, 727, 759,
                                         908, 918, 940, 972, 983, 1004, 1014};
    const std::uint32_t extended = instruction >> 1 & 0x3ff;
    for (const std::uint32_t store : kStores) {
      if (store == extended) {
        return true;
      }
    }
    return false;
  }
  return (primary >= 36 && primary <= 39) || primary == 44 || primary == 45 || primary == 47 ||
         (primary >= 52 && primary <= 55) || primary == 62 ||
         (primary == 61 && (instruction & 7) != 1) || (primary == 6 && (instruction & 15) == 1);
}

std::uint64_t base_of(std::uint32_t instruction, const mcontext_t& registers) {
  const std::uint32_t base = instruction >> 16 & 31;
  const std::uint32_t index = instruction >> 11 & 31;
  const bool indexed = instruction >> 26 == 31;
  return (base == 0 ? 0 : registers.gp_regs[base]) + (indexed ? registers.gp_regs[index] : 0);
}

// Numbers of registers as the system's <asm/ptrace.h> has them.
std::uint64_t code_of(const mcontext_t& registers) {
  constexpr int kNextInstruction = 32;
  return registers.gp_regs[kNextInstruction];
}
std::uint64_t stack_of(const mcontext_t& registers) {
  return registers.gp_regs[1];
}
std::uint64_t caller_of(const mcontext_t& registers) {
  constexpr int kLink = 36;
  return registers.gp_regs[kLink];
}

bool is_call(std::uint32_t instruction) {
  return (instruction & 0xfc000003) == 0x48000001 ||                            // bl
         instruction == 0x4e800421 || (instruction & 0xffe0ffff) == 0x4e800021; // bctrl, blrl
}

#endif

/// Whether the system finds something at an address; asked in a handler.
bool is_readable(std::uint64_t address) {
  return access(reinterpret_cast<const char*>(address), F_OK) == 0 || errno != EFAULT;
}

} // namespace

// Under QEMU a handler is not told whether memory was written to, and an address that no memory has
// becomes 0: the instruction says more.
Interrupted interrupted(const siginfo_t& information, const void* context) {
  const mcontext_t& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
  Interrupted result{.code = code_of(registers),
                     .stack = stack_of(registers),
                     .caller = caller_of(registers),
                     .accessed = reinterpret_cast<std::uintptr_t>(information.si_addr),
                     .accessed_is_known = information.si_code > 0};
  if (information.si_signo != SIGSEGV && information.si_signo != SIGBUS) {
    return result;
  }
  if (!is_readable(result.code)) {
    result.accessed = result.code;
    result.access = GANTRY_FAULT_ACCESS_CALL;
    return result;
  }
  const std::uint32_t instruction = instruction_at(result.code);
  result.access = is_store(instruction) ? GANTRY_FAULT_ACCESS_WRITE : GANTRY_FAULT_ACCESS_READ;
  result.accessed_is_known &= result.accessed != 0 || base_of(instruction, registers) == 0;
  return result;
}

bool is_behind_call(std::uint64_t address) {
  return address % sizeof(std::uint32_t) == 0 &&
         is_call(instruction_at(address - sizeof(std::uint32_t)));
}

#endif

} // namespace gantry::worker
