// From LLVM IR to position independent bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <memory>
#include <string>
#include <vector>

namespace gantry::simt {

/// The machine that this process runs on, with all that its processor can do. Null, with the reason
/// in `error`, if LLVM cannot make code for it.
[[nodiscard]] std::unique_ptr<llvm::TargetMachine> host_machine(std::string& error);

/// Machine code, position independent.
struct Image {
  std::vector<std::byte> bytes;
  std::uint64_t entry = 0; ///< offset of a function's code in `bytes`
};

/// Compiles the module and lays its sections out as one run of bytes that refers to nothing outside
/// it; `entry` is the function that the image's entry is. `frame_bytes` becomes what the frames of
/// its functions take on the stack, all together. False with the reason in `error`.
[[nodiscard]] bool emit_image(llvm::Module& module, llvm::StringRef entry,
                              llvm::TargetMachine& machine, Image& image,
                              std::uint64_t& frame_bytes, std::string& error);

} // namespace gantry::simt
