#include "cli/replay/differences.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace gantry::cli {

namespace {

constexpr std::size_t kWord = 4;

/// Bytes as a number, "0x3f800000 (1.0 as a float)".
std::string shown(std::span<const std::byte> bytes) {
  if (bytes.size() != kWord) {
    return fmt::format("{:#x}", static_cast<unsigned>(bytes.front()));
  }
  std::uint32_t number = 0;
  float value = 0;
  std::memcpy(&number, bytes.data(), kWord);
  std::memcpy(&value, bytes.data(), kWord);
  return fmt::format("{:#010x} ({} or {:g})", number, static_cast<std::int32_t>(number), value);
}

void compare(std::string_view name, std::span<const std::byte> expected,
             std::span<const std::byte> got, std::size_t most, Differences& found) {
  for (std::size_t offset = 0; offset < expected.size(); offset += kWord) {
    const std::size_t size = std::min(kWord, expected.size() - offset);
    ++found.of;
    if (std::memcmp(expected.data() + offset, got.data() + offset, size) == 0) {
      continue;
    }
    ++found.words;
    if (found.first.size() < most) {
      found.first.push_back(fmt::format("{} at byte {}: {}, recorded was {}", name, offset,
                                        shown(got.subspan(offset, size)),
                                        shown(expected.subspan(offset, size))));
    }
  }
}

} // namespace

Differences find_differences(const recording::Recording& recording, const ReplayResult& result,
                             std::size_t most) {
  Differences found;
  const auto expected = recording.contents(recording::Recording::Moment::kAfter);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const recording::Block& block = recording.blocks[i];
    compare(block.name.empty() ? fmt::format("memory at {:#x}", block.address)
                               : fmt::format("'{}'", block.name),
            expected[i], result.blocks[i], most, found);
  }
  for (std::size_t i = 0; i < recording.variables.size(); ++i) {
    const recording::Variable& variable = recording.variables[i];
    std::vector<std::byte> value = variable.after.empty() ? variable.before : variable.after;
    value.resize(variable.size);
    compare(fmt::format("'{}'", variable.name), value, result.variables[i], most, found);
  }
  return found;
}

} // namespace gantry::cli
