// The interpreter: executes a kernel instruction by instruction, straight from the parsed PTX.
// Slow, simple, and the measure that compiled code is held against (GANTRY_SIMT_MODE=interpret).
//
// A warp is a set of groups of lanes, each with its own stack of calls and position. The group with
// the lowest position runs, groups that come to the same position become one, and groups take turns
// when one only loops: so lanes reconverge where they can and none is kept from going on.
#pragma once

#include "simt/exec/block.h"
#include "simt/exec/loaded_program.h"

#include <string>

namespace gantry::simt::exec {

/// Executes the launch's kernel for the lanes of warp.exists, on the warp's stack.
void interpret(Warp& warp);

/// Whether the instruction is one that the executor can do: empty, or what is wrong with it, in the
/// style of NVIDIA's assembler ("Feature 'mma' not supported"). Compiler and interpreter accept the
/// same instructions, and may rely for an accepted one on this: types, modifiers and the number and
/// kinds of operands are those of a form in refusal_forms.def; a result's register has the width of
/// its type (of cvt, ld and ldu it may be wider if the type is no float), or the result is the
/// sink; a source's has at least that width, and exactly that of a float; literals 0d… and decimal
/// ones may be of an f32, integers may be the bits of 16-bit floats; in mov.b64 d, v and mov.b64 v,
/// d a vector register is packed or unpacked like {a, b}; accesses to .param variables are inside
/// them.
[[nodiscard]] std::string refusal_of(const ptx::Instruction& instruction,
                                     const ptx::Function& function);

} // namespace gantry::simt::exec
