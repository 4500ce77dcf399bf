// From LLVM IR to position independent bytes.
#pragma once

#include "simt/exec/code/code.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <memory>
#include <string>

namespace gantry::simt::lower {

/// The machine that this process runs on, with all that its processor can do. Null, with the reason
/// in `error`, if LLVM cannot make code for it.
[[nodiscard]] std::unique_ptr<llvm::TargetMachine> host_machine(std::string& error);

/// Compiles the module and lays its sections out as one run of bytes that refers to nothing outside
/// it; `entry` is the function that the image's entry is. `frame_bytes` becomes what the frames of
/// its functions take on the stack, all together. False with the reason in `error`.
[[nodiscard]] bool emit_image(llvm::Module& module, llvm::StringRef entry,
                              llvm::TargetMachine& machine, exec::CodeImage& image,
                              std::uint64_t& frame_bytes, std::string& error);

} // namespace gantry::simt::lower
