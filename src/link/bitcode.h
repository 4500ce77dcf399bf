// LLVM bitcode: opening it with errors a user can act on, and the device code inside host bitcode.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "link/registration.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <llvm/LTO/LTO.h>
#include <llvm/Support/Error.h>

namespace gantry::link {

/// Opens bitcode, which must outlive the result, as `name`. Bitcode of an LLVM newer than the one
/// linked here is an error that names both versions.
[[nodiscard]] Result<std::unique_ptr<llvm::lto::InputFile>> open_bitcode(Bytes contents,
                                                                         std::string_view name);

/// What LLVM has read from bitcode, or its error.
template <typename Value>
[[nodiscard]] Result<Value> result_of_reading(llvm::Expected<Value> value) {
  if (!value) {
    return fail("the bitcode cannot be read: {}", llvm::toString(value.takeError()));
  }
  return std::move(*value);
}

/// What an object compiled with -flto carries in place of sections.
struct EmbeddedDeviceCode {
  std::vector<std::vector<std::byte>> containers; ///< offload binaries
  std::vector<std::string> entries; ///< names of offload entries that have device symbols
  EntryTables tables;
};

[[nodiscard]] Result<EmbeddedDeviceCode> read_embedded_device_code(Bytes contents,
                                                                   std::string_view name);

} // namespace gantry::link
