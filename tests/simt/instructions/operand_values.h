// Operands that find mistakes: the edges of each type, and numbers at random.
#pragma once

#include "number.h"
#include "simt/ptx/type.h"

#include <string_view>
#include <vector>

namespace gantry::simt::instructions {

/// A number that depends on its arguments alone.
[[nodiscard]] constexpr Word hash_of(Word a, Word b = 0, Word c = 0) {
  Word x = a * 0x9E37'79B9'7F4A'7C15 + b * 0xC2B2'AE3D'27D4'EB4F + c * 0x1656'67B1'9E37'79F9;
  x = (x ^ x >> 30) * 0xBF58'476D'1CE4'E5B9;
  x = (x ^ x >> 27) * 0x94D0'49BB'1331'11EB;
  return x ^ x >> 31;
}
[[nodiscard]] constexpr Word hash_of(std::string_view text) {
  Word hash = 0;
  for (const char character : text) {
    hash = hash_of(hash, static_cast<unsigned char>(character));
  }
  return hash;
}

[[nodiscard]] const std::vector<Word>& edges_of(ptx::Type type);
/// One of the edges or of all values, as `random` says.
[[nodiscard]] Word operand_of(ptx::Type type, Word random);

} // namespace gantry::simt::instructions
