// Images: from the bytes that a program gives to load, to a linked PTX program.
//
// An image is a PTX text, a fat binary with a PTX text in it, an ELF file that the executor's own
// ptxas or libnvJitLink has made (images/ptx_elf.h), or what cuLinkComplete made here (a
// LinkedImage). Machine code of a GPU cannot be executed.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/ptx/parser.h"
#include "simt/ptx/program.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class Device;

struct ImageError {
  CUresult code = CUDA_ERROR_INVALID_IMAGE;
  std::string log; ///< ends with a line break
};
template <typename T>
using ImageResult = tl::expected<T, ImageError>;

using ProgramPointer = std::shared_ptr<const ptx::Program>;

/// The program of an image of unknown size: it says itself where it ends.
[[nodiscard]] ImageResult<ProgramPointer> load_image(const void* image, const Device& device);
[[nodiscard]] ImageResult<ProgramPointer> load_image(std::span<const std::byte> image,
                                                     const Device& device);

/// The PTX texts in an image of that size, to be linked with others; more than one if it was
/// linked.
[[nodiscard]] ImageResult<std::vector<std::string>> texts_of(std::span<const std::byte> image,
                                                             const Device& device);

/// Parses a text and checks that the device can execute what it was made for.
[[nodiscard]] ImageResult<std::unique_ptr<ptx::Module>>
parse_text(std::string_view text, const std::string& name, const Device& device);

/// Bytes that stand for a linked program as long as it is known in this process, and hold its
/// texts, so that a copy of them is good at any time.
[[nodiscard]] std::vector<std::byte> make_linked_image(const ProgramPointer& program,
                                                       std::span<const std::string> texts);

[[nodiscard]] tl::expected<std::string, CUresult> read_file(const char* path);

} // namespace gantry::simt::driver
