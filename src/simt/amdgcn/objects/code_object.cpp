#include "simt/amdgcn/objects/code_object.h"

#include "simt/amdgcn/objects/dynamic_section.h"
#include "simt/amdgcn/objects/elf_amdgpu.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <elf.h>

namespace gantry::simt::amdgcn {

namespace {

/// Of a loaded object: far more than what code reaches, which is addressed with 32 bits.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostAlignment = 1 << 16;
constexpr unsigned kAbiToVersion = 2;

/// What an object may ask of a feature that a processor has or has not: "any" fits all.
Status check_feature(const Processor& processor, std::string_view name, bool wants_on,
                     bool wants_off) {
  const auto has = [&](char sign) {
    return processor.features.find(fmt::format(":{}{}", name, sign)) != std::string_view::npos;
  };
  if ((wants_on && has('-')) || (wants_off && has('+'))) {
    return fail("the code object is for {} with {}{}, and the device has {}{}", processor.name,
                name, wants_on ? '+' : '-', name, wants_on ? '-' : '+');
  }
  return {};
}

/// The file's header, if it is one of a linked code object.
Result<Elf64_Ehdr> check_header(Bytes bytes) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return fail("the {} bytes are no ELF file", bytes.size());
  }
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_ident[EI_VERSION] != EV_CURRENT || header->e_machine != kMachineAmdGpu) {
    return fail("the ELF file is for machine {}, class {}, byte order {}; a code object is for "
                "machine {}, class {}, byte order {}",
                header->e_machine, header->e_ident[EI_CLASS], header->e_ident[EI_DATA],
                kMachineAmdGpu, ELFCLASS64, ELFDATA2LSB);
  }
  if (header->e_ident[EI_OSABI] != kOsAbiHsa) {
    return fail("the code object is for operating system {}; AMD's HSA, {}, is expected",
                header->e_ident[EI_OSABI], kOsAbiHsa);
  }
  const unsigned abi = header->e_ident[EI_ABIVERSION];
  if (abi < kAbiOfVersion3 || abi > kAbiOfVersion6) {
    return fail("the code object has ABI version {}{}; {} to {}, code object versions 3 to 6, are "
                "known",
                abi, abi == 0 ? ", code object version 2" : "", kAbiOfVersion3, kAbiOfVersion6);
  }
  if (header->e_type != ET_DYN) {
    return fail("the code object is not linked: its type is {}, not {}", header->e_type, ET_DYN);
  }
  if (header->e_phentsize != sizeof(Elf64_Phdr)) {
    return fail("the code object's program headers have {} bytes each, not {}", header->e_phentsize,
                sizeof(Elf64_Phdr));
  }
  return *header;
}

Status add_segment(CodeObject& object, Bytes bytes, const Elf64_Phdr& header) {
  const auto contents = slice(bytes, header.p_offset, header.p_filesz);
  if (!contents) {
    return fail("the segment at {:#x} has {} bytes at {} of the file, which has {}", header.p_vaddr,
                header.p_filesz, header.p_offset, bytes.size());
  }
  if (header.p_filesz > header.p_memsz) {
    return fail("the segment at {:#x} has more bytes in the file, {}, than in memory, {}",
                header.p_vaddr, header.p_filesz, header.p_memsz);
  }
  if (header.p_vaddr >= kMostBytes || header.p_memsz > kMostBytes - header.p_vaddr) {
    return fail("the segment at {:#x} of {} bytes does not end within {} bytes", header.p_vaddr,
                header.p_memsz, kMostBytes);
  }
  const std::uint64_t alignment = std::max<std::uint64_t>(header.p_align, 1);
  if (!std::has_single_bit(alignment) || alignment > kMostAlignment) {
    return fail("the segment at {:#x} is aligned to {} bytes, which is no power of two up to {}",
                header.p_vaddr, alignment, kMostAlignment);
  }
  if (!object.segments.empty()) {
    const Segment& last = object.segments.back();
    if (header.p_vaddr < last.address + last.size) {
      return fail("the segment at {:#x} overlaps the one before it, or comes after a later one",
                  header.p_vaddr);
    }
  }
  if (header.p_memsz != 0) {
    object.alignment = std::max(object.alignment, alignment);
    object.segments.push_back({header.p_vaddr, header.p_memsz, *contents,
                               (header.p_flags & PF_X) != 0, (header.p_flags & PF_W) != 0});
  }
  return {};
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The kernels of all metadata notes in a segment of notes.
Status read_notes(Bytes notes, std::vector<KernelMetadata>& kernels) {
  while (!notes.empty()) {
    const auto header = load<Elf64_Nhdr>(notes, 0);
    const auto name = header ? slice(notes, sizeof(Elf64_Nhdr), header->n_namesz) : std::nullopt;
    const std::uint64_t begin =
        name ? sizeof(Elf64_Nhdr) + round_up(header->n_namesz, kNoteAlignment) : 0;
    const auto contents = name ? slice(notes, begin, header->n_descsz) : std::nullopt;
    if (!contents) {
      return fail("a note goes beyond the end of the notes");
    }
    if (as_text(*name) == kNoteOwner && header->n_type == kNoteMetadata) {
      std::ranges::move(GANTRY_TRY(parse_metadata(*contents)), std::back_inserter(kernels));
    }
    notes = notes.subspan(
        std::min<std::uint64_t>(notes.size(), begin + round_up(header->n_descsz, kNoteAlignment)));
  }
  return {};
}

Status read_program_headers(CodeObject& object, Bytes bytes, const Elf64_Ehdr& header,
                            std::optional<Elf64_Phdr>& dynamic,
                            std::vector<KernelMetadata>& metadata) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto entry =
        slice(bytes, header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize);
    if (!entry) {
      return fail("the code object's {} program headers at {} do not fit into {} bytes",
                  header.e_phnum, header.e_phoff, bytes.size());
    }
    const auto program = load<Elf64_Phdr>(*entry, std::uint64_t{i} * header.e_phentsize);
    switch (program->p_type) {
    case PT_LOAD:
      GANTRY_TRY(add_segment(object, bytes, *program));
      break;
    case PT_DYNAMIC:
      dynamic = *program;
      break;
    case PT_NOTE: {
      const auto notes = slice(bytes, program->p_offset, program->p_filesz);
      if (!notes) {
        return fail("the code object's notes do not lie in the file");
      }
      GANTRY_TRY(read_notes(*notes, metadata));
      break;
    }
    default:
      break;
    }
  }
  if (object.segments.empty()) {
    return fail("the code object has nothing to load");
  }
  const Segment& last = object.segments.back();
  // Where the object is loaded keeps what its segments are aligned to.
  object.first = object.segments.front().address / object.alignment * object.alignment;
  object.size = last.address + last.size - object.first;
  return {};
}

Status add_kernel(CodeObject& object, std::uint32_t index,
                  const std::vector<KernelMetadata>& metadata) {
  const Symbol& symbol = object.symbols[index];
  const Segment* const segment = object.segment_of(symbol.address, sizeof(KernelDescriptor));
  const auto descriptor =
      segment == nullptr
          ? std::nullopt
          : load<KernelDescriptor>(segment->contents, symbol.address - segment->address);
  if (!descriptor || symbol.address % kDescriptorAlignment != 0) {
    return fail("the descriptor {} at {:#x} does not lie in the file, or is not aligned to {}",
                symbol.name, symbol.address, kDescriptorAlignment);
  }
  const std::uint64_t entry = symbol.address + static_cast<std::uint64_t>(descriptor->entry);
  const Segment* const code = object.segment_of(entry, sizeof(std::uint32_t));
  if (code == nullptr || !code->is_executable || entry % kEntryAlignment != 0) {
    return fail("the kernel of the descriptor {} begins at {:#x}, where no code is, or which is no "
                "multiple of {}",
                symbol.name, entry, kEntryAlignment);
  }
  const auto said = std::ranges::find(metadata, symbol.name, &KernelMetadata::symbol);
  object.kernels.push_back({index, *descriptor, said == metadata.end() ? KernelMetadata{} : *said});
  return {};
}

} // namespace

const Segment* CodeObject::segment_of(std::uint64_t address, std::uint64_t bytes) const {
  const auto after = std::ranges::upper_bound(segments, address, {}, &Segment::address);
  if (after == segments.begin()) {
    return nullptr;
  }
  const Segment& segment = *std::prev(after);
  const std::uint64_t offset = address - segment.address;
  return offset < segment.size && bytes <= segment.size - offset ? &segment : nullptr;
}

Result<CodeObject> parse(Bytes bytes) {
  CodeObject object;
  const Elf64_Ehdr header = GANTRY_TRY(check_header(bytes));
  object.version = header.e_ident[EI_ABIVERSION] + kAbiToVersion;
  object.flags = header.e_flags;
  std::optional<Elf64_Phdr> dynamic;
  std::vector<KernelMetadata> metadata;
  GANTRY_TRY(read_program_headers(object, bytes, header, dynamic, metadata));
  if (!dynamic) {
    return fail("the code object has no dynamic section");
  }
  GANTRY_TRY(read_dynamic_section(object, bytes, *dynamic));
  for (std::uint32_t i = 0; i < object.symbols.size(); ++i) {
    if (object.symbols[i].kind == SymbolKind::kKernel) {
      GANTRY_TRY(add_kernel(object, i, metadata));
    }
  }
  return object;
}

namespace {

/// Whether code of that number is for all processors of a family that this one is of.
bool is_of_family(std::uint32_t mach, const Processor& processor) {
  constexpr std::uint32_t kGfx9Generic = 0x51;
  constexpr std::uint32_t kGfx11Generic = 0x54;
  return (mach == kGfx9Generic && (processor.name == "gfx900" || processor.name == "gfx906")) ||
         (mach == kGfx11Generic && processor.name == "gfx1100");
}

} // namespace

Status check_processor(const CodeObject& object, const Processor& processor) {
  const std::uint32_t flags = object.flags;
  const std::uint32_t mach = flags & kMachMask;
  if (mach != processor.mach && !is_of_family(mach, processor)) {
    const Processor* const other = find_processor(mach);
    return fail("the code object is for {}, and the device is {}",
                other != nullptr ? std::string(other->name)
                                 : fmt::format("a processor of number {:#x}", mach),
                processor.name);
  }
  if (object.version == 3) {
    GANTRY_TRY(check_feature(processor, "xnack", (flags & kXnackOfVersion3) != 0, false));
    return check_feature(processor, "sramecc", (flags & kSramEccOfVersion3) != 0, false);
  }
  const std::uint32_t xnack = flags & kXnackMask;
  const std::uint32_t sram_ecc = flags & kSramEccMask;
  GANTRY_TRY(check_feature(processor, "xnack", xnack == kXnackOn, xnack == kXnackOff));
  return check_feature(processor, "sramecc", sram_ecc == kSramEccOn, sram_ecc == kSramEccOff);
}

} // namespace gantry::simt::amdgcn
