#include "base/amd_code.h"

#include <algorithm>
#include <array>

#include <elf.h>

namespace gantry {

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

/// Of version 3, which has a bit for each feature.
AmdFeature feature_of_bit(std::uint32_t flags, std::uint32_t bit) {
  return (flags & bit) != 0 ? AmdFeature::kOn : AmdFeature::kAny;
}

/// Of later ones, which have two.
AmdFeature feature_of_bits(std::uint32_t flags, unsigned shift) {
  return static_cast<AmdFeature>(flags >> shift & 3);
}

/// The notes of one segment.
void visit_notes(Bytes notes, const std::function<void(Bytes document)>& visit) {
  constexpr std::uint32_t kMetadataNote = 32; // NT_AMDGPU_METADATA
  constexpr std::string_view kOwner("AMDGPU\0", 7);
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  for (std::uint64_t at = 0;;) {
    const auto header = load<Elf64_Nhdr>(notes, at);
    if (!header) {
      return;
    }
    at += sizeof *header;
    const auto owner = slice(notes, at, header->n_namesz);
    const auto contents = slice(notes, at + padded(header->n_namesz), header->n_descsz);
    if (!owner || !contents) {
      return;
    }
    if (header->n_type == kMetadataNote && as_text(*owner) == kOwner) {
      visit(*contents);
    }
    at += padded(header->n_namesz) + padded(header->n_descsz);
  }
}

} // namespace

std::optional<AmdProcessor> amd_processor_of(Bytes code_object) {
  const auto header = load<Elf64_Ehdr>(code_object, 0);
  if (!header || !as_text(code_object).starts_with(ELFMAG) ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_ident[EI_OSABI] != kSystemHsa || header->e_machine != kMachineAmdgpu ||
      header->e_type != ET_DYN) {
    return std::nullopt;
  }
  const auto* const known = std::ranges::find(
      kProcessors, static_cast<std::uint8_t>(header->e_flags & kMachineMask), &Known::number);
  AmdProcessor processor;
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

std::string text_of(const AmdProcessor& processor) {
  std::string text(processor.name);
  const auto add = [&](std::string_view name, AmdFeature feature) {
    if (feature == AmdFeature::kOn || feature == AmdFeature::kOff) {
      text.append(":").append(name).append(feature == AmdFeature::kOn ? "+" : "-");
    }
  };
  add("sramecc", processor.sramecc);
  add("xnack", processor.xnack);
  return text;
}

void visit_amd_metadata(Bytes code_object, const std::function<void(Bytes document)>& visit) {
  const auto header = load<Elf64_Ehdr>(code_object, 0);
  if (!header) {
    return;
  }
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = load<Elf64_Phdr>(
        code_object.subspan(std::min<std::uint64_t>(header->e_phoff, code_object.size())),
        i * sizeof(Elf64_Phdr));
    if (segment && segment->p_type == PT_NOTE) {
      if (const auto notes = slice(code_object, segment->p_offset, segment->p_filesz)) {
        visit_notes(*notes, visit);
      }
    }
  }
}

} // namespace gantry
