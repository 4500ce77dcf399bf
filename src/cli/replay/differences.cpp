#include "cli/replay/differences.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace gantry::cli {

namespace {

constexpr std::size_t kWord = 4;
constexpr std::size_t kPair = 2 * kWord;

template <typename T>
T read(std::span<const std::byte> bytes, std::size_t offset = 0) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Whether programs compute with such numbers: what is of another type seldom looks like one.
bool is_ordinary(double value) {
  constexpr double kLeast = 1e-100;
  constexpr double kMost = 1e100;
  return value == 0 || (std::abs(value) >= kLeast && std::abs(value) <= kMost);
}

bool is_ordinary(float value) {
  constexpr float kLeast = 1e-30F;
  constexpr float kMost = 1e30F;
  return value == 0 || (std::abs(value) >= kLeast && std::abs(value) <= kMost);
}

/// Bytes as a number of every type that it may have: nobody knows which.
std::string shown(std::span<const std::byte> bytes) {
  if (bytes.size() == kPair) {
    const auto first = read<float>(bytes);
    const auto second = read<float>(bytes, kWord);
    std::string text =
        fmt::format("{:#018x} ({} as a double", read<std::uint64_t>(bytes), read<double>(bytes));
    if (is_ordinary(first) && is_ordinary(second)) {
      text += fmt::format(", {} and {} as floats", first, second);
    }
    return text + ")";
  }
  if (bytes.size() != kWord) {
    return fmt::format("{:#x}", static_cast<unsigned>(bytes.front()));
  }
  return fmt::format("{:#010x} ({} or {:g})", read<std::uint32_t>(bytes), read<std::int32_t>(bytes),
                     read<float>(bytes));
}

/// What has results of the kernel.
struct Place {
  std::string name;
  std::uint64_t address = 0; ///< on the device, or any that is aligned likewise
};

/// Whether two words differ that may be one double, which then is shown whole.
bool is_pair(const Place& place, std::span<const std::byte> expected,
             std::span<const std::byte> got, std::size_t offset) {
  return (place.address + offset) % kPair == 0 && expected.size() - offset >= kPair &&
         is_ordinary(read<double>(expected, offset)) && is_ordinary(read<double>(got, offset));
}

void compare(const Place& place, std::span<const std::byte> expected,
             std::span<const std::byte> got, std::size_t most, Differences& found) {
  const auto differ = [&](std::size_t offset, std::size_t size) {
    return std::memcmp(expected.data() + offset, got.data() + offset, size) != 0;
  };
  for (std::size_t offset = 0; offset < expected.size();) {
    std::size_t size = std::min(kWord, expected.size() - offset);
    if (is_pair(place, expected, got, offset) && differ(offset, kPair)) {
      size = kPair;
    }
    for (std::size_t word = offset; word < offset + size; word += kWord) {
      ++found.of;
      found.words += differ(word, std::min(kWord, expected.size() - word)) ? 1 : 0;
    }
    if (differ(offset, size) && found.first.size() < most) {
      found.first.push_back(fmt::format("{} at byte {}: {}, recorded was {}", place.name, offset,
                                        shown(got.subspan(offset, size)),
                                        shown(expected.subspan(offset, size))));
    }
    offset += size;
  }
}

} // namespace

Differences find_differences(const recording::Recording& recording, const ReplayResult& result,
                             std::size_t most) {
  Differences found;
  const auto expected = recording.contents(recording::Recording::Moment::kAfter);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const recording::Block& block = recording.blocks[i];
    compare({block.name.empty() ? fmt::format("memory at {:#x}", block.address)
                                : fmt::format("'{}'", block.name),
             block.address},
            expected[i], result.blocks[i], most, found);
  }
  for (std::size_t i = 0; i < recording.variables.size(); ++i) {
    const recording::Variable& variable = recording.variables[i];
    std::vector<std::byte> value = variable.after.empty() ? variable.before : variable.after;
    value.resize(variable.size);
    compare({fmt::format("'{}'", variable.name)}, value, result.variables[i], most, found);
  }
  return found;
}

} // namespace gantry::cli
