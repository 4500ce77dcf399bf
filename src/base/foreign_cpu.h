// Instruction sets, other than the host's, for which Gantry makes and runs images: compiled by
// Clang, linked against Debian's cross packages, run under QEMU's user mode. A new one takes a row
// here and one in link/target.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry {

struct ForeignCpu {
  std::string_view name;      ///< in names of devices and of Gantry's files; also LLVM's
  std::string_view triple;    ///< of Debian's folders: what is in /usr/TRIPLE is of this kind
  std::string_view debian;    ///< what Debian calls it, as in libc6-dev-arm64-cross
  std::string_view emulation; ///< for a linker's -m
  std::string_view qemu;      ///< as in qemu-aarch64
  std::string_view loader;    ///< the dynamic loader, in lib/ of the folder of the triple
  std::uint16_t machine;      ///< in ELF headers, of little-endian objects
};

inline constexpr auto kForeignCpus = std::to_array<ForeignCpu>({
    {.name = "aarch64",
     .triple = "aarch64-linux-gnu",
     .debian = "arm64",
     .emulation = "aarch64linux",
     .qemu = "aarch64",
     .loader = "ld-linux-aarch64.so.1",
     .machine = 183},
    {.name = "powerpc64le",
     .triple = "powerpc64le-linux-gnu",
     .debian = "ppc64el",
     .emulation = "elf64lppc",
     .qemu = "ppc64le",
     .loader = "ld64.so.2",
     .machine = 21},
});

/// The one called `name`, or null.
[[nodiscard]] constexpr const ForeignCpu* find_foreign_cpu(std::string_view name) {
  const auto* const found = std::ranges::find(kForeignCpus, name, &ForeignCpu::name);
  return found == kForeignCpus.end() ? nullptr : found;
}

/// Where Debian's cross packages put its headers and libraries.
[[nodiscard]] inline std::string folder_of(const ForeignCpu& cpu) {
  return "/usr/" + std::string(cpu.triple);
}

} // namespace gantry
