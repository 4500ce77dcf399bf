#include "plugins/worker/fault.h"

#include <array>
#include <cstring>

#include <fmt/format.h>
#include <gantry/plugin.h>

namespace gantry::worker {

std::int32_t kind_of(FaultKind kind) {
  switch (kind) {
  case FaultKind::kAccess:
    return GANTRY_FAULT_ACCESS;
  case FaultKind::kArithmetic:
    return GANTRY_FAULT_ARITHMETIC;
  case FaultKind::kInstruction:
    return GANTRY_FAULT_INSTRUCTION;
  case FaultKind::kAbort:
    return GANTRY_FAULT_ABORT;
  case FaultKind::kStack:
    return GANTRY_FAULT_STACK;
  case FaultKind::kExit:
    return GANTRY_FAULT_EXIT;
  case FaultKind::kTime:
    return GANTRY_FAULT_TIME;
  case FaultKind::kSignal:
  case FaultKind::kNone:
    break;
  }
  return GANTRY_FAULT_OTHER;
}

namespace {

/// By GANTRY_FAULT_ACCESS_*.
constexpr std::array kAccesses = {"read from", "wrote to", "called"};

std::string describe(const Fault& fault) {
  // A kernel may have written to the fault itself.
  const char* const accessed = fault.access < kAccesses.size() ? kAccesses[fault.access] : "used";
  const char* const who = fault.kernel != 0 ? "a kernel" : "code on the device";
  switch (fault.kind) {
  case FaultKind::kAccess:
    return fault.known == 0 ? fmt::format("{} used an address that no memory has", who)
                            : fmt::format("{} {} address {:#x}", who, accessed, fault.address);
  case FaultKind::kArithmetic:
    return fmt::format("{} divided by zero", who);
  case FaultKind::kInstruction:
    return fmt::format("{} came to an instruction that the processor does not have", who);
  case FaultKind::kAbort:
    return fmt::format("{} called abort()", who);
  case FaultKind::kStack:
    return fmt::format("{} exhausted its stack", who);
  case FaultKind::kExit:
    return fmt::format("{} called exit({})", who, fault.value);
  case FaultKind::kTime:
    return fmt::format("{} took longer than GANTRY_TIMEOUT allows", who);
  case FaultKind::kSignal:
    return fmt::format("the worker process was ended by signal {} ({})", fault.value,
                       strsignal(fault.value));
  case FaultKind::kNone:
    break;
  }
  return "the worker process has failed";
}

} // namespace

std::string describe_loss(const Control& control) {
  const bool told = control.fault.complete.load(std::memory_order_acquire) != 0;
  return fmt::format("the device is lost: {}",
                     told ? describe(control.fault)
                          : "its worker process was killed, or code in it called _exit()");
}

} // namespace gantry::worker
