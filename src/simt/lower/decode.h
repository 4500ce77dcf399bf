// From the one-lane form to plain data that can be executed without LLVM.
#pragma once

#include "simt/exec/one_lane_code.h"

#include <llvm/IR/Function.h>
#include <string>

namespace gantry::simt::lower {

/// `function` is as ScalarFunction has written it: no pass has seen it. False, with the reason in
/// `error`, if it has something that the evaluator does not know.
[[nodiscard]] bool decode(const llvm::Function& function, std::uint32_t index,
                          exec::OneLaneCode& code, std::string& error);

} // namespace gantry::simt::lower
