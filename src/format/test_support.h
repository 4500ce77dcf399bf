// Shared by the tests of src/format: files of the corpus, and systematic damage to them.
#pragma once

#include "base/bytes.h"
#include "base/mapped_file.h"

#include <functional>
#include <stdexcept>
#include <vector>

namespace gantry::format {

/// A file of tests/format/corpus, which real compilers and linkers made.
inline MappedFile corpus_file(const std::string& name) {
  auto file = MappedFile::open(std::filesystem::path(GANTRY_CORPUS) / name);
  if (!file) {
    throw std::runtime_error(file.error().message);
  }
  return std::move(*file);
}

/// A copy of `bytes` of exactly their size, so that AddressSanitizer sees a read past the end.
inline std::vector<std::byte> exact_copy(Bytes bytes) {
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  copy.shrink_to_fit();
  return copy;
}

/// Calls `read` with `bytes` cut to every length. A test that survives this has no read that trusts
/// a length.
inline void for_each_truncation(Bytes bytes, const std::function<void(Bytes)>& read) {
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::vector<std::byte> cut = exact_copy(bytes.first(size));
    read(cut);
  }
}

/// Calls `read` with each byte of `bytes` in turn changed: every bit flipped, and the values that
/// make offsets and sizes huge or zero.
inline void for_each_corruption(Bytes bytes, const std::function<void(Bytes)>& read) {
  std::vector<std::byte> damaged = exact_copy(bytes);
  for (std::byte& target : damaged) {
    const std::byte original = target;
    for (unsigned bit = 0; bit < 8; ++bit) {
      target = original ^ std::byte(1U << bit);
      read(damaged);
    }
    for (const std::byte value : {std::byte{0x00}, std::byte{0x7F}, std::byte{0xFF}}) {
      target = value;
      read(damaged);
    }
    target = original;
  }
}

} // namespace gantry::format
