// PTX in an ELF file, for tools that want a cubin: what `ptxas` and libnvJitLink of the executor
// make and its driver takes.
//
//   header         EM_CUDA; e_flags has the compute capability as in cubins of the ABI's
//                  version 7; e_ident[9…15] is "gantry", the mark by which such a file is known
//   .gantry.ptx    the PTX texts, each followed by a NUL
//   .nv.global     variables without initial values
//   .nv.global.init, .nv.constant3
//                  the other variables, with those of their initial values that are numbers:
//                  addresses are zero
//   .symtab        kernels (functions, in .gantry.ptx) and variables (objects with their sizes),
//                  because tools look for them by name, and read the initial values of some
//   headers of the sections, which end the file
#pragma once

#include "base/bytes.h"
#include "simt/ptx/module.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gantry::simt::images {

/// The file for the modules, in their order. `relocatable`: to be linked with others.
[[nodiscard]] std::vector<std::byte> make_ptx_elf(std::span<const ptx::Module* const> modules,
                                                  unsigned capability, bool relocatable);

/// Whether it begins as such a file.
[[nodiscard]] bool is_ptx_elf(Bytes image);

/// The bytes of such a file that begins at `image`, as it says itself; the header is readable.
[[nodiscard]] std::optional<Bytes> measured_ptx_elf(const void* image);

/// The texts in it; nothing if it is damaged.
[[nodiscard]] std::optional<std::vector<std::string_view>> texts_of_ptx_elf(Bytes image);

} // namespace gantry::simt::images
