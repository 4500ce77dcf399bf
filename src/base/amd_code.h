// What a code object of AMD's GPUs is for: an ELF file for one processor, or for a family of them
// (LLVM's "User Guide for AMDGPU Backend", "ELF Code Object").
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gantry {

/// What code asks of a feature that a processor may have turned on, and what a device has.
enum class AmdFeature : std::uint8_t {
  kNone, ///< nothing is said, or the processor has no such feature
  kAny,  ///< of code alone: it runs either way
  kOff,
  kOn,
};

struct AmdProcessor {
  std::string_view name; ///< "gfx90a", or "gfx9-generic"
  AmdFeature xnack = AmdFeature::kNone;
  AmdFeature sramecc = AmdFeature::kNone;
  /// Of the code object: 3 to 6.
  unsigned version = 0;
};

/// What a code object is for; nothing if the bytes are something else, are for a processor that is
/// not known, or are of a version that nobody makes any more. Looks at the header only.
[[nodiscard]] std::optional<AmdProcessor> amd_processor_of(Bytes code_object);

/// "gfx90a:sramecc+:xnack-", as --offload-arch= takes it.
[[nodiscard]] std::string text_of(const AmdProcessor& processor);

/// Calls `visit` with each note of metadata ("Code Object Metadata"), a MessagePack document, up to
/// a note that is damaged.
void visit_amd_metadata(Bytes code_object, const std::function<void(Bytes document)>& visit);

} // namespace gantry
