#include "plugins/worker/fault.h"

#include <array>
#include <cstring>

#include <fmt/format.h>
#include <gantry/plugin.h>

namespace gantry::worker {

namespace {

struct Meaning {
  std::int32_t kind = GANTRY_FAULT_OTHER;
  const char* deed = nullptr; ///< what code on the device did; null: describe() says it
};

/// By FaultKind.
constexpr auto kMeanings = std::to_array<Meaning>({
    {},
    {GANTRY_FAULT_ACCESS},
    {GANTRY_FAULT_ARITHMETIC, "divided by zero"},
    {GANTRY_FAULT_INSTRUCTION, "came to an instruction that the processor does not have"},
    {GANTRY_FAULT_ABORT, "called abort()"},
    {GANTRY_FAULT_STACK, "exhausted its stack"},
    {GANTRY_FAULT_EXIT},
    {GANTRY_FAULT_TIME, "took longer than GANTRY_TIMEOUT allows"},
    {},
});
static_assert(kMeanings.size() == static_cast<std::size_t>(FaultKind::kSignal) + 1);

/// A kernel may have written to the fault itself, so `kind` may be any number.
Meaning meaning_of(FaultKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kMeanings.size() ? kMeanings[index] : Meaning();
}

/// By GANTRY_FAULT_ACCESS_*.
constexpr std::array kAccesses = {"used", "read from", "wrote to", "called"};

std::string describe(const Fault& fault) {
  const char* const accessed = kAccesses[fault.access < kAccesses.size() ? fault.access : 0];
  const char* const who = fault.kernel != 0 ? "a kernel" : "code on the device";
  if (const char* const deed = meaning_of(fault.kind).deed; deed != nullptr) {
    return fmt::format("{} {}", who, deed);
  }
  switch (fault.kind) {
  case FaultKind::kAccess:
    return fault.known == 0 ? fmt::format("{} used an address that no memory has", who)
                            : fmt::format("{} {} address {:#x}", who, accessed, fault.address);
  case FaultKind::kExit:
    return fmt::format("{} called exit({})", who, fault.value);
  case FaultKind::kSignal:
    return fmt::format("the worker process was ended by signal {} ({})", fault.value,
                       strsignal(fault.value));
  default:
    return "the worker process has failed";
  }
}

} // namespace

std::int32_t kind_of(FaultKind kind) {
  return meaning_of(kind).kind;
}

std::string describe_loss(const Control& control) {
  const bool told = control.fault.complete.load(std::memory_order_acquire) != 0;
  return fmt::format("the device is lost: {}",
                     told ? describe(control.fault)
                          : "its worker process was killed, or code in it called _exit()");
}

} // namespace gantry::worker
