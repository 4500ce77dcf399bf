#include "simt/amdgcn/exec/executor.h"

#include <utility>

namespace gantry::simt::amdgcn {

struct LoadedCode::State {};

LoadedCode::LoadedCode(const Processor& /*processor*/, std::uint64_t /*begin*/,
                       std::uint64_t /*size*/, std::vector<CodeSymbol> /*functions*/) {}

LoadedCode::~LoadedCode() = default;

tl::expected<void, Fault> run(const Dispatch& /*dispatch*/) {
  Fault fault;
  fault.kind = FaultKind::kIllegalInstruction;
  fault.report = "gantry: error: code of AMD's GPUs is not there yet";
  return tl::unexpected(std::move(fault));
}

} // namespace gantry::simt::amdgcn
