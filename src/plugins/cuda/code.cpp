#include "plugins/cuda/code.h"

#include "base/bytes.h"

#include <algorithm>
#include <charconv>

#include <gantry/cuda_fat_binary.h>

namespace gantry::cuda {

namespace {

/// In front of .version there are comments alone.
constexpr std::size_t kHeaderBytes = 4096;

std::vector<CodeTarget> targets_of_fat_binary(Bytes image, const gantry_fat_binary& container) {
  std::vector<CodeTarget> targets;
  const auto entries = slice(image, container.header_bytes, container.bytes);
  if (!entries) {
    return {};
  }
  for (std::uint64_t offset = 0; offset < entries->size();) {
    const auto entry = load<gantry_fat_binary_entry>(*entries, offset);
    if (!entry || entry->header_bytes < sizeof *entry) {
      return {};
    }
    const auto content = slice(*entries, offset + entry->header_bytes, entry->bytes);
    if (!content) {
      return {};
    }
    offset += entry->header_bytes + entry->bytes;
    if (entry->kind == GANTRY_FAT_BINARY_PTX || entry->kind == GANTRY_FAT_BINARY_ELF) {
      // The header does not tell of variants; the PTX does, unless it is compressed.
      targets.push_back({.architecture = static_cast<int>(entry->capability),
                         .variant = ptx_target(as_text(*content)).variant,
                         .machine_code = entry->kind == GANTRY_FAT_BINARY_ELF});
    }
  }
  return targets;
}

} // namespace

std::string_view ptx_version(std::string_view text) {
  constexpr std::string_view kDirective = ".version ";
  text = text.substr(0, kHeaderBytes);
  const std::size_t directive = text.find(kDirective);
  if (directive == std::string_view::npos || (directive != 0 && text[directive - 1] != '\n')) {
    return "";
  }
  text.remove_prefix(directive + kDirective.size());
  return text.substr(0, text.find_first_of(" \n"));
}

CodeTarget ptx_target(std::string_view text) {
  text = text.substr(0, kHeaderBytes);
  constexpr std::string_view kDirective = "\n.target sm_";
  const std::size_t directive = text.find(kDirective);
  if (ptx_version(text).empty() || directive == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(directive + kDirective.size());
  CodeTarget target;
  const char* const end =
      std::from_chars(text.data(), text.data() + text.size(), target.architecture).ptr;
  if (end != text.data() + text.size() && (*end == 'a' || *end == 'f')) {
    target.variant = *end;
  }
  return target;
}

std::vector<CodeTarget> targets_of(std::string_view image) {
  const Bytes bytes = as_bytes(image);
  const auto container = load<gantry_fat_binary>(bytes, 0);
  if (container && container->magic == GANTRY_FAT_BINARY_MAGIC) {
    return targets_of_fat_binary(bytes, *container);
  }
  const CodeTarget target = ptx_target(image);
  return target.architecture == 0 ? std::vector<CodeTarget>() : std::vector{target};
}

bool runs_on(const CodeTarget& target, int capability) {
  if (target.machine_code && target.architecture / 10 != capability / 10) {
    return false;
  }
  switch (target.variant) {
  case 'a':
    return target.architecture == capability;
  case 'f':
    return target.architecture <= capability && target.architecture / 10 == capability / 10;
  default:
    return target.architecture <= capability;
  }
}

unsigned rank_of(std::string_view image, int capability) {
  unsigned best = 0;
  for (const CodeTarget& target : targets_of(image)) {
    if (runs_on(target, capability)) {
      const auto architecture = static_cast<unsigned>(target.architecture);
      best = std::max(best, 2 * architecture + (target.variant != '\0' ? 1U : 0U));
    }
  }
  return best;
}

} // namespace gantry::cuda
