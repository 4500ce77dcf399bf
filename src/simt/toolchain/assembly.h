// What an assembler and a linker of PTX have in common here: texts are checked and put into one ELF
// file, which the executor's driver takes (images/ptx_elf.h). Nothing is translated: that is done
// when a kernel is launched.
#pragma once

#include "base/bytes.h"
#include "simt/ptx/module.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::toolchain {

/// 80 for "sm_80", "sm_90a", "compute_80"; nothing for anything else.
[[nodiscard]] std::optional<unsigned> capability_named(std::string_view name);

/// The texts of a linker's input, whatever kind it is; the error says why there are none.
[[nodiscard]] tl::expected<std::vector<std::string>, std::string> texts_of(Bytes input,
                                                                           unsigned capability);

/// The modules of one file.
class Assembly {
public:
  explicit Assembly(unsigned capability) : capability_(capability) {}

  /// Parses a text. The error is one line in the style of NVIDIA's assembler, or more.
  [[nodiscard]] tl::expected<void, std::string> add(std::string text, const std::string& name);
  [[nodiscard]] const std::vector<std::unique_ptr<ptx::Module>>& modules() const {
    return modules_;
  }

  /// The file; ends the assembly. Unless it is `relocatable`, every function and variable that is
  /// used has to be defined.
  [[nodiscard]] tl::expected<std::vector<std::byte>, std::string> finish(bool relocatable);

private:
  const unsigned capability_;
  std::vector<std::unique_ptr<ptx::Module>> modules_;
};

} // namespace gantry::simt::toolchain
