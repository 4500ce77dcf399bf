// Translates the one-lane form to plain data, which the evaluator executes without LLVM.
#pragma once

#include "simt/exec/code/one_lane_code.h"

#include <llvm/IR/Function.h>
#include <string>

namespace gantry::simt::lower {

/// `function` is as ScalarFunction has written it: no pass has changed its code. False, with the
/// reason in `error`, if it has something that the evaluator does not know.
[[nodiscard]] bool decode(const llvm::Function& function, std::uint32_t index,
                          exec::OneLaneCode& code, std::string& error);

} // namespace gantry::simt::lower
