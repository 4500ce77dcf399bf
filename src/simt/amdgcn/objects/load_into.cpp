#include "simt/amdgcn/objects/code_object.h"
#include "simt/amdgcn/objects/elf_amdgpu.h"

#include <cstring>

namespace gantry::simt::amdgcn {

namespace {

/// S of the ABI's formulas.
Result<std::uint64_t> address_of(const CodeObject& object, std::uint32_t index,
                                 std::uint64_t moved_by, const Resolver& resolve) {
  if (index == 0) {
    return 0;
  }
  const Symbol& symbol = object.symbols[index];
  if (symbol.is_defined) {
    return symbol.is_absolute ? symbol.address : symbol.address + moved_by;
  }
  if (const auto found = resolve ? resolve(symbol.name) : std::nullopt) {
    return *found;
  }
  if (symbol.is_weak) {
    return 0;
  }
  return fail("the code object uses {}, which nothing defines", symbol.name);
}

Status relocate(std::span<std::byte> memory, const CodeObject& object, std::uint64_t moved_by,
                const Relocation& relocation, const Resolver& resolve) {
  unsigned bytes = sizeof(std::uint64_t);
  const std::uint64_t place = relocation.address + moved_by;
  const auto addend = static_cast<std::uint64_t>(relocation.addend);
  std::uint64_t value = 0;
  if (relocation.type == RelocationType::kNone) {
    return {};
  }
  if (relocation.type == RelocationType::kRelative64) {
    value = moved_by + addend;
  } else {
    value = GANTRY_TRY(address_of(object, relocation.symbol, moved_by, resolve)) + addend;
    switch (relocation.type) {
    case RelocationType::kAbs64:
      break;
    case RelocationType::kRel64:
      value -= place;
      break;
    case RelocationType::kAbs32:
    case RelocationType::kAbs32Low:
      bytes = sizeof(std::uint32_t);
      break;
    case RelocationType::kAbs32High:
      bytes = sizeof(std::uint32_t);
      value >>= 32;
      break;
    case RelocationType::kRel32:
    case RelocationType::kRel32Low:
      bytes = sizeof(std::uint32_t);
      value -= place;
      break;
    case RelocationType::kRel32High:
      bytes = sizeof(std::uint32_t);
      value = (value - place) >> 32;
      break;
    default:
      return fail("the relocation of {:#x} has type {}, which is not known in a linked code object",
                  relocation.address, relocation.type);
    }
  }
  if (object.segment_of(relocation.address, bytes) == nullptr) {
    return fail("the relocation of {:#x} does not lie in the code object", relocation.address);
  }
  std::memcpy(memory.data() + (relocation.address - object.first), &value, bytes);
  return {};
}

} // namespace

Status load_into(std::span<std::byte> memory, const CodeObject& object, std::uint64_t address,
                 const Resolver& resolve) {
  if (memory.size() < object.size || address % object.alignment != 0) {
    return fail("a code object of {} bytes cannot be loaded into {} at {:#x}", object.size,
                memory.size(), address);
  }
  for (const Segment& segment : object.segments) {
    if (!segment.contents.empty()) {
      std::memcpy(memory.data() + (segment.address - object.first), segment.contents.data(),
                  segment.contents.size());
    }
  }
  for (const Relocation& relocation : object.relocations) {
    GANTRY_TRY(relocate(memory, object, address - object.first, relocation, resolve));
  }
  return {};
}

} // namespace gantry::simt::amdgcn
