// Reads the numbers and texts of DWARF one after the other (DWARF 5, section 7, "Data
// Representation").
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <string_view>

namespace gantry::simt::amdgcn {

/// A place in bytes that are not believed. Behind their end all numbers are 0 and texts empty, and
/// is_beyond() says so.
class DwarfReader {
public:
  explicit DwarfReader(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return place_ >= bytes_.size(); }
  [[nodiscard]] bool is_beyond() const { return is_beyond_; }
  [[nodiscard]] std::uint64_t place() const { return place_; }

  template <typename T>
  T number() {
    const auto value = load<T>(bytes_, place_);
    if (!value) {
      end();
      return 0;
    }
    place_ += sizeof(T);
    return *value;
  }
  /// An offset or a length: of 64 bits in DWARF's 64-bit format.
  std::uint64_t offset(bool is_64_bit) {
    return is_64_bit ? number<std::uint64_t>() : number<std::uint32_t>();
  }
  /// LEB128. Bits beyond 64 are lost.
  std::uint64_t unsigned_leb() { return leb().value; }
  std::int64_t signed_leb() {
    constexpr std::uint8_t kSign = 0x40;
    Leb leb = this->leb();
    if ((leb.last & kSign) != 0 && leb.bits < 64) {
      leb.value |= ~std::uint64_t{0} << leb.bits;
    }
    return static_cast<std::int64_t>(leb.value);
  }
  std::string_view text() {
    const auto found = c_string(bytes_, place_);
    if (!found) {
      end();
      return {};
    }
    place_ += found->size() + 1;
    return *found;
  }
  Bytes take(std::uint64_t size) {
    const auto taken = slice(bytes_, place_, size);
    if (!taken) {
      end();
      return {};
    }
    place_ += size;
    return *taken;
  }

private:
  struct Leb {
    std::uint64_t value = 0;
    unsigned bits = 0;
    std::uint8_t last = 0;
  };
  Leb leb() {
    constexpr std::uint8_t kMore = 0x80;
    Leb read;
    do {
      read.last = number<std::uint8_t>();
      if (read.bits < 64) {
        read.value |= std::uint64_t{read.last & (kMore - 1U)} << read.bits;
        read.bits += 7;
      }
    } while ((read.last & kMore) != 0);
    return read;
  }
  void end() {
    is_beyond_ = true;
    place_ = bytes_.size();
  }

  Bytes bytes_;
  std::uint64_t place_ = 0;
  bool is_beyond_ = false;
};

} // namespace gantry::simt::amdgcn
