// References of a loaded image to functions that are not those which the dynamic loader has found.
#pragma once

#include "plugins/cpu/elf_image.h"

#include <cstddef>
#include <optional>
#include <string>

namespace gantry::cpu {

/// Writes a word of an image that is loaded at `base`; false, with errno, if its page cannot be
/// made writable. Any thread may call it.
[[nodiscard]] bool bind_import(const ElfImage::Import& import, std::byte* base, void* value);

/// Binds an image of GCC's that the dynamic loader has just loaded at `base` to libgomp, where
/// libomp has taken its place. libomp offers functions of libgomp's under libgomp's names and
/// versions, but not all: where a program of Clang's loads a library of GCC's, GOMP_teams4 would be
/// libgomp's and omp_get_team_num libomp's, which knows nothing of that league. The error is a
/// sentence.
[[nodiscard]] std::optional<std::string> bind_to_libgomp(const ElfImage& elf, std::byte* base);

} // namespace gantry::cpu
