// What a code object is for, and on which devices it runs. A code object is an ELF file for one
// processor, or for a family of them (LLVM's "User Guide for AMDGPU Backend", "ELF Code Object").
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::hsa {

/// What code asks of a feature that a processor may have turned on, and what a device has.
enum class Feature : std::uint8_t {
  kNone, ///< nothing is said, or the processor has no such feature
  kAny,  ///< of code alone: it runs either way
  kOff,
  kOn,
};

struct Processor {
  std::string_view name; ///< "gfx90a", or "gfx9-generic"
  Feature xnack = Feature::kNone;
  Feature sramecc = Feature::kNone;
  /// Of the code object: 3 to 6.
  unsigned version = 0;
};

/// What a code object is for; nothing if the bytes are something else, are for a processor that is
/// not known, or are of a version that nobody makes any more. Looks at the header only.
[[nodiscard]] std::optional<Processor> processor_of_code(Bytes bytes);

/// What a device is, from the name of its instruction set ("amdgcn-amd-amdhsa--gfx90a:sramecc+:
/// xnack-"), which has to outlive the result.
[[nodiscard]] Processor processor_of_device(std::string_view instruction_set);

/// How well code suits a device, compared with other code: 0 if it does not run there.
[[nodiscard]] unsigned rank_of(const Processor& code, const Processor& device);

/// "gfx90a:sramecc+:xnack-", as --offload-arch= takes it.
[[nodiscard]] std::string text_of(const Processor& processor);

} // namespace gantry::hsa
