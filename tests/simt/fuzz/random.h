// Numbers at random that are the same on every machine, which those of <random> need not be.
#pragma once

#include "../instructions/operand_values.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gantry::simt::fuzz {

class Random {
public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t word() { return instructions::hash_of(seed_, ++count_, 0x5EED); }
  /// 0 … count - 1.
  unsigned below(std::size_t count) { return static_cast<unsigned>((word() >> 16) % count); }
  /// first … last.
  unsigned between(unsigned first, unsigned last) { return first + below(last - first + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename Element>
  const Element& one_of(const std::vector<Element>& elements) {
    return elements[below(elements.size())];
  }
  const char* one_of(std::initializer_list<const char*> words) {
    return words.begin()[below(words.size())];
  }

private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

} // namespace gantry::simt::fuzz
