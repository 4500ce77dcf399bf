#include "fake_executor.h"

#include "simt/amdgcn/exec/executor.h"

#include <atomic>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include <hsa/hsa.h>

namespace gantry::simt::amdgcn {

using simt_hsa_test::Command;
using simt_hsa_test::Deed;

struct LoadedCode::State {};

// NOLINTBEGIN(performance-unnecessary-value-param)
LoadedCode::LoadedCode(const Processor& /*processor*/, std::uint64_t /*begin*/,
                       std::uint64_t /*size*/, CodeSources /*sources*/) {}
// NOLINTEND(performance-unnecessary-value-param)

LoadedCode::~LoadedCode() = default;

namespace {

tl::unexpected<Fault> fault(FaultKind kind, std::uint64_t address = 0) {
  Fault made;
  made.kind = kind;
  made.address = address;
  made.what = "what a test asks for";
  made.access = FaultAccess::kWrite;
  made.is_invalid = true;
  made.kernel = "kernel";
  made.position = "kernel.c:7";
  made.report = "gantry: error: a fault that a test asks for";
  return tl::unexpected(std::move(made));
}

} // namespace

void prepare_thread() {}

tl::expected<void, Fault> run(const Dispatch& dispatch) {
  // For programs of compilers, whose kernels have other arguments.
  if (const char* const kind = std::getenv("SIMT_TEST_FAULT")) {
    return fault(std::string_view(kind) == "memory" ? FaultKind::kMemory : FaultKind::kTrap,
                 0x1000);
  }
  const auto* const packet = reinterpret_cast<const hsa_kernel_dispatch_packet_t*>(dispatch.packet);
  if (packet->kernarg_address == nullptr) {
    return {};
  }
  const Command& command = *static_cast<const Command*>(packet->kernarg_address);
  auto* const word = reinterpret_cast<std::uint64_t*>(command.address);
  switch (command.deed) {
  case Deed::kNothing:
    break;
  case Deed::kStore:
    std::atomic_ref(*word).store(command.value);
    break;
  case Deed::kAdd:
    std::atomic_ref(*word).fetch_add(command.value);
    break;
  case Deed::kMeet:
    std::atomic_ref(word[1]).store(1);
    [[fallthrough]];
  case Deed::kWaitFor:
    while (std::atomic_ref(*word).load() != command.value) {
      std::this_thread::yield();
    }
    break;
  case Deed::kMemoryFault:
    return fault(FaultKind::kMemory, command.address);
  case Deed::kTrap:
    return fault(FaultKind::kTrap);
  case Deed::kIllegalInstruction:
    return fault(FaultKind::kIllegalInstruction);
  case Deed::kInvalidPacket:
    return fault(FaultKind::kInvalidPacket);
  }
  return {};
}

} // namespace gantry::simt::amdgcn
