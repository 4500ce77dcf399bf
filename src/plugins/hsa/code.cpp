#include "plugins/hsa/code.h"

#include <algorithm>
#include <array>
#include <span>

#include <elf.h>

namespace gantry::hsa {

namespace {

constexpr std::uint16_t kMachineAmdgpu = 224;
constexpr unsigned char kSystemHsa = 64;
/// EI_ABIVERSION counts code object versions from 2 on.
constexpr unsigned kFirstVersion = 2;
constexpr unsigned kOldestVersion = 3;
constexpr unsigned kNewestVersion = 6;
constexpr std::uint32_t kMachineMask = 0xff;

struct Known {
  std::uint8_t number; ///< EF_AMDGPU_MACH
  std::string_view name;
};
constexpr auto kProcessors = std::to_array<Known>({
    {0x28, "gfx801"},          {0x29, "gfx802"},          {0x2a, "gfx803"},
    {0x2b, "gfx810"},          {0x2c, "gfx900"},          {0x2d, "gfx902"},
    {0x2e, "gfx904"},          {0x2f, "gfx906"},          {0x30, "gfx908"},
    {0x31, "gfx909"},          {0x32, "gfx90c"},          {0x33, "gfx1010"},
    {0x34, "gfx1011"},         {0x35, "gfx1012"},         {0x36, "gfx1030"},
    {0x37, "gfx1031"},         {0x38, "gfx1032"},         {0x39, "gfx1033"},
    {0x3c, "gfx805"},          {0x3d, "gfx1035"},         {0x3e, "gfx1034"},
    {0x3f, "gfx90a"},          {0x41, "gfx1100"},         {0x42, "gfx1013"},
    {0x43, "gfx1150"},         {0x44, "gfx1103"},         {0x45, "gfx1036"},
    {0x46, "gfx1101"},         {0x47, "gfx1102"},         {0x48, "gfx1200"},
    {0x49, "gfx1250"},         {0x4a, "gfx1151"},         {0x4c, "gfx942"},
    {0x4e, "gfx1201"},         {0x4f, "gfx950"},          {0x51, "gfx9-generic"},
    {0x52, "gfx10-1-generic"}, {0x53, "gfx10-3-generic"}, {0x54, "gfx11-generic"},
    {0x55, "gfx1152"},         {0x58, "gfx1153"},         {0x59, "gfx12-generic"},
    {0x5a, "gfx1251"},         {0x5f, "gfx9-4-generic"},
});

// The processors that run code for a family.
constexpr std::string_view kFamily9[] = {"gfx900", "gfx902", "gfx904",
                                         "gfx906", "gfx909", "gfx90c"};
constexpr std::string_view kFamily94[] = {"gfx942", "gfx950"};
constexpr std::string_view kFamily101[] = {"gfx1010", "gfx1011", "gfx1012", "gfx1013"};
constexpr std::string_view kFamily103[] = {"gfx1030", "gfx1031", "gfx1032", "gfx1033",
                                           "gfx1034", "gfx1035", "gfx1036"};
constexpr std::string_view kFamily11[] = {"gfx1100", "gfx1101", "gfx1102", "gfx1103",
                                          "gfx1150", "gfx1151", "gfx1152", "gfx1153"};
constexpr std::string_view kFamily12[] = {"gfx1200", "gfx1201"};

std::span<const std::string_view> members_of(std::string_view family) {
  if (family == "gfx9-generic") {
    return kFamily9;
  }
  if (family == "gfx9-4-generic") {
    return kFamily94;
  }
  if (family == "gfx10-1-generic") {
    return kFamily101;
  }
  if (family == "gfx10-3-generic") {
    return kFamily103;
  }
  if (family == "gfx11-generic") {
    return kFamily11;
  }
  if (family == "gfx12-generic") {
    return kFamily12;
  }
  return {};
}

/// Of version 3, which has a bit for each feature.
Feature feature_of_bit(std::uint32_t flags, std::uint32_t bit) {
  return (flags & bit) != 0 ? Feature::kOn : Feature::kAny;
}

/// Of later ones, which have two.
Feature feature_of_bits(std::uint32_t flags, unsigned shift) {
  return static_cast<Feature>(flags >> shift & 3);
}

bool suits(Feature code, Feature device) {
  return code == device || code == Feature::kAny || code == Feature::kNone;
}

} // namespace

std::optional<Processor> processor_of_code(Bytes bytes) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header || !as_text(bytes).starts_with(ELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_ident[EI_OSABI] != kSystemHsa ||
      header->e_machine != kMachineAmdgpu || header->e_type != ET_DYN) {
    return std::nullopt;
  }
  const auto* const known = std::ranges::find(
      kProcessors, static_cast<std::uint8_t>(header->e_flags & kMachineMask), &Known::number);
  Processor processor;
  processor.version = header->e_ident[EI_ABIVERSION] + kFirstVersion;
  if (known == kProcessors.end() || processor.version < kOldestVersion ||
      processor.version > kNewestVersion) {
    return std::nullopt;
  }
  processor.name = known->name;
  if (processor.version == kOldestVersion) {
    processor.xnack = feature_of_bit(header->e_flags, 0x100);
    processor.sramecc = feature_of_bit(header->e_flags, 0x200);
  } else {
    processor.xnack = feature_of_bits(header->e_flags, 8);
    processor.sramecc = feature_of_bits(header->e_flags, 10);
  }
  return processor;
}

Processor processor_of_device(std::string_view instruction_set) {
  constexpr std::string_view kTriple = "amdgcn-amd-amdhsa--";
  if (instruction_set.starts_with(kTriple)) {
    instruction_set.remove_prefix(kTriple.size());
  }
  Processor processor;
  processor.name = instruction_set.substr(0, instruction_set.find(':'));
  const auto feature = [&](std::string_view name) {
    const std::size_t at = instruction_set.find(name);
    const std::size_t end = at + name.size();
    return at == std::string_view::npos || end >= instruction_set.size() ? Feature::kNone
           : instruction_set[end] == '+'                                 ? Feature::kOn
                                                                         : Feature::kOff;
  };
  processor.xnack = feature(":xnack");
  processor.sramecc = feature(":sramecc");
  return processor;
}

unsigned rank_of(const Processor& code, const Processor& device) {
  const bool same = code.name == device.name;
  const auto members = members_of(code.name);
  if (!same && std::ranges::find(members, device.name) == members.end()) {
    return 0;
  }
  if (!suits(code.xnack, device.xnack) || !suits(code.sramecc, device.sramecc)) {
    return 0;
  }
  // The processor's own code before its family's, and the more it is told the better.
  const auto exact = [](Feature feature) { return feature == Feature::kAny ? 0U : 1U; };
  return (same ? 4U : 1U) + exact(code.xnack) + exact(code.sramecc);
}

std::string text_of(const Processor& processor) {
  std::string text(processor.name);
  const auto add = [&](std::string_view name, Feature feature) {
    if (feature == Feature::kOn || feature == Feature::kOff) {
      text.append(":").append(name).append(feature == Feature::kOn ? "+" : "-");
    }
  };
  add("sramecc", processor.sramecc);
  add("xnack", processor.xnack);
  return text;
}

} // namespace gantry::hsa
