// What accesses do to registers and memory, for tests to compare with.
#pragma once

#include "memory_form.h"

#include "../../instructions/number.h"
#include "../machine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace gantry::simt::amdgcn {

inline constexpr unsigned kAddress = 2, kSecondData = 28, kData = 24, kResult = 20; ///< VGPRs
inline constexpr unsigned kPair = 4;                                                ///< SGPRs
inline constexpr std::size_t kRows = 40;

enum class Where : std::uint8_t { kGlobal, kShared, kPrivate };

/// The bytes of all memory, as they are to become.
struct Image {
  explicit Image(const Machine& machine)
      : global(machine.global().begin(), machine.global().end()),
        shared(machine.shared().begin(), machine.shared().end()),
        scratch(machine.scratch().begin(), machine.scratch().end()) {}

  std::byte& at(Where place, unsigned lane, std::uint64_t offset) {
    switch (place) {
    case Where::kGlobal:
      return global.at(offset);
    case Where::kShared:
      return shared.at(offset);
    default: // dwords of all lanes beside each other
      return scratch.at(offset / 4 * 4 * kLanes + lane * 4 + offset % 4);
    }
  }
  std::uint64_t read(Where place, unsigned lane, std::uint64_t offset, unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      value |= std::to_integer<std::uint64_t>(at(place, lane, offset + i)) << (8 * i);
    }
    return value;
  }
  void write(Where place, unsigned lane, std::uint64_t offset, unsigned bytes,
             std::uint64_t value) {
    for (unsigned i = 0; i < bytes; ++i) {
      at(place, lane, offset + i) = static_cast<std::byte>(value >> (8 * i));
    }
  }
  [[nodiscard]] bool is_of(const Machine& machine) const {
    return std::ranges::equal(global, machine.global()) &&
           std::ranges::equal(shared, machine.shared()) &&
           std::ranges::equal(scratch, machine.scratch());
  }

  std::vector<std::byte> global, shared, scratch;
};

inline void fill(Machine& machine, std::mt19937_64& random) {
  for (const auto bytes : {machine.global(), machine.shared(), machine.scratch()}) {
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(random());
    }
  }
}

/// Does what the form does in one lane, to registers and memory.
class Model {
public:
  Model(Machine& machine, Wave& expected, Image& image)
      : machine_(machine), expected_(expected), image_(image) {}

  void load(const MemoryForm& form, Where place, unsigned lane, std::uint64_t offset,
            unsigned row) {
    if (form.bytes < 4) {
      std::uint64_t value = image_.read(place, lane, offset, form.bytes);
      const std::uint64_t sign = std::uint64_t{1} << (8 * form.bytes - 1);
      if (form.is_signed && (value & sign) != 0) {
        value |= ~(2 * sign - 1);
      }
      std::uint32_t& kept = expected_.v[row][lane];
      kept = form.half < 0    ? static_cast<std::uint32_t>(value)
             : form.half == 0 ? (kept & 0xffff0000) | static_cast<std::uint16_t>(value)
                              : (kept & 0xffff) | static_cast<std::uint32_t>(value) << 16;
      return;
    }
    for (unsigned i = 0; i < form.bytes / 4; ++i) {
      expected_.v[row + i][lane] =
          static_cast<std::uint32_t>(image_.read(place, lane, offset + 4 * i, 4));
    }
  }
  void store(const MemoryForm& form, Where place, unsigned lane, std::uint64_t offset,
             unsigned row) {
    if (form.bytes < 4) {
      image_.write(place, lane, offset, form.bytes,
                   expected_.v[row][lane] >> (form.half == 1 ? 16 : 0));
      return;
    }
    for (unsigned i = 0; i < form.bytes / 4; ++i) {
      image_.write(place, lane, offset + 4 * i, 4, expected_.v[row + i][lane]);
    }
  }
  std::uint64_t value(unsigned row, unsigned lane, unsigned bytes) const {
    return expected_.v[row][lane] |
           (bytes == 8 ? std::uint64_t{expected_.v[row + 1][lane]} << 32 : 0);
  }
  /// `result` is 0 if the old value is not wanted.
  void change(const MemoryForm& form, Where place, unsigned lane, std::uint64_t offset,
              std::uint64_t data, std::uint64_t compared, unsigned result) {
    const std::uint64_t old = image_.read(place, lane, offset, form.bytes);
    std::uint64_t made = low_bits(form.changed(old, data, compared), 8 * form.bytes);
    const instructions::Format format =
        form.bytes == 8 ? instructions::kDouble : instructions::kSingle;
    if (form.is_floating && format.is_nan(made)) { // whichever
      made = Image(machine_).read(place, lane, offset, form.bytes);
      EXPECT_TRUE(format.is_nan(made));
    }
    image_.write(place, lane, offset, form.bytes, made);
    if (result != 0) {
      expected_.v[result][lane] = static_cast<std::uint32_t>(old);
      if (form.bytes == 8) {
        expected_.v[result + 1][lane] = static_cast<std::uint32_t>(old >> 32);
      }
    }
  }

private:
  Machine& machine_;
  Wave& expected_;
  Image& image_;
};

inline LaneMask mask_of(unsigned round, std::mt19937_64& random) {
  switch (round % 4) {
  case 0:
    return ~LaneMask{0};
  case 1:
    return LaneMask{1} << (random() % kLanes);
  case 2:
    return random();
  default:
    return 0;
  }
}

} // namespace gantry::simt::amdgcn
