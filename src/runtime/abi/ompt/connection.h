// Finds the tool of the process (OpenMP 5.2, section 19.2), at the first construct, and only where
// there may be one: starting one makes libomp initialise itself, which takes milliseconds.
//
// Where libomp is the OpenMP runtime, it starts the tool, and this library connects to it as LLVM's
// does (ompt_libomp_connect). Where it is libgomp, which has no such thing, this library starts it
// (provider.h).
#pragma once

namespace gantry::abi::ompt {

/// For constructors, when a program is registered: from now on a tool is looked for. More than once
/// is as once.
void prepare();

/// For the first event that would be told: connects if that is not done, and if there is no tool
/// then, nothing is looked for or watched any more. Any thread, without a lock.
void settle();

} // namespace gantry::abi::ompt
