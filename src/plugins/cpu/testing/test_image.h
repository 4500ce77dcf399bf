// The device images that tests load; see image.c.
#pragma once

#include "base/mapped_file.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace gantry::cpu::testing {

/// The image with the symbol hash table `kind`: "gnu" or "sysv".
inline std::vector<std::byte> test_image(const std::string& kind) {
  const auto file =
      MappedFile::open(std::string(GANTRY_TEST_IMAGES) + "/test_image_" + kind + ".so");
  if (!file) {
    throw std::runtime_error(file.error().message);
  }
  return {file->bytes().begin(), file->bytes().end()};
}

} // namespace gantry::cpu::testing
