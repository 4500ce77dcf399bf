// Code objects of AMD's GPUs: whom they are for, and what their kernels need (LLVM's "User Guide
// for AMDGPU Backend", "Code Object Metadata" and "Kernel Descriptor").
//
// Results point into the caller's bytes. Safe to call from any thread.
#pragma once

#include "base/amd_code.h"
#include "base/result.h"
#include "format/elf.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gantry::format {

/// A number is missing where the code object does not say it.
struct AmdKernel {
  std::string_view name;
  std::optional<std::uint64_t> vector_registers, accumulation_registers, scalar_registers;
  std::optional<std::uint64_t> spilled_vector_registers, spilled_scalar_registers;
  std::optional<std::uint64_t> group_bytes;   ///< LDS of a work-group
  std::optional<std::uint64_t> private_bytes; ///< of a work-item
  std::optional<std::uint64_t> argument_bytes;
  std::optional<std::uint64_t> wave_size;
  std::optional<std::uint64_t> most_work_items; ///< of a work-group
  bool uses_dynamic_stack = false;              ///< private_bytes may not be enough
};

struct AmdCodeObject {
  AmdProcessor processor;
  std::vector<AmdKernel> kernels; ///< in the order of the symbols
};

/// Nothing if the file is no code object that amd_processor_of() knows. An error if its symbols or
/// its metadata are damaged.
[[nodiscard]] Result<std::optional<AmdCodeObject>> read_amd_code_object(Bytes bytes);

/// The code objects in the data of a program that GCC has linked, whose own tables name them by
/// addresses alone.
[[nodiscard]] std::vector<Bytes> find_amd_code_objects(const ElfFile& program);

} // namespace gantry::format
