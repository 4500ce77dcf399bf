#include "format/amd_code_object.h"

#include "base/message_pack.h"

#include <algorithm>
#include <utility>

namespace gantry::format {

namespace {

/// Of a kernel's descriptor, NAME.kd.
constexpr std::string_view kDescriptorSuffix = ".kd";
constexpr std::uint64_t kDescriptorSize = 64;
constexpr std::uint64_t kPropertiesOffset = 56;
constexpr std::uint16_t kWaveOf32 = 1 << 10;
constexpr std::uint16_t kDynamicStack = 1 << 11;

/// What the descriptor says; the metadata may say more.
AmdKernel kernel_of(std::string_view name, Bytes descriptor) {
  AmdKernel kernel;
  kernel.name = name;
  const auto number = [&](std::uint64_t offset) -> std::optional<std::uint64_t> {
    return load<std::uint32_t>(descriptor, offset);
  };
  kernel.group_bytes = number(0);
  kernel.private_bytes = number(4);
  kernel.argument_bytes = number(8);
  if (const auto properties = load<std::uint16_t>(descriptor, kPropertiesOffset)) {
    kernel.wave_size = (*properties & kWaveOf32) != 0 ? 32 : 64;
    kernel.uses_dynamic_stack = (*properties & kDynamicStack) != 0;
  }
  return kernel;
}

Result<std::vector<AmdKernel>> kernels_of(const ElfFile& file) {
  std::vector<AmdKernel> kernels;
  for (const ElfSymbol& symbol : GANTRY_TRY(file.dynamic_symbols())) {
    if (symbol.name.ends_with(kDescriptorSuffix) && symbol.type == STT_OBJECT &&
        symbol.size == kDescriptorSize && !symbol.is_undefined()) {
      kernels.push_back(
          kernel_of(symbol.name.substr(0, symbol.name.size() - kDescriptorSuffix.size()),
                    file.contents_at(symbol.value)));
    }
  }
  return kernels;
}

/// Adds what a map of the metadata says of one of the kernels; false if it is damaged.
bool add_metadata(MessagePack& document, const MessagePackValue& map,
                  std::vector<AmdKernel>& kernels) {
  AmdKernel said;
  std::string_view symbol;
  const std::pair<std::string_view, std::optional<std::uint64_t>*> numbers[] = {
      {".vgpr_count", &said.vector_registers},
      {".agpr_count", &said.accumulation_registers},
      {".sgpr_count", &said.scalar_registers},
      {".vgpr_spill_count", &said.spilled_vector_registers},
      {".sgpr_spill_count", &said.spilled_scalar_registers},
      {".group_segment_fixed_size", &said.group_bytes},
      {".private_segment_fixed_size", &said.private_bytes},
      {".kernarg_segment_size", &said.argument_bytes},
      {".wavefront_size", &said.wave_size},
      {".max_flat_workgroup_size", &said.most_work_items},
  };
  const bool whole =
      read_map(document, map, [&](std::string_view key, const MessagePackValue& value) {
        if (key == ".symbol") {
          symbol = value.text;
        } else if (value.kind == MessagePackValue::Kind::kNumber) {
          for (const auto& [known, number] : numbers) {
            if (key == known) {
              *number = value.number;
            }
          }
        }
        return document.skip(value);
      });
  if (!whole) {
    return false;
  }
  if (symbol.ends_with(kDescriptorSuffix)) {
    symbol.remove_suffix(kDescriptorSuffix.size());
  }
  const auto kernel = std::ranges::find(kernels, symbol, &AmdKernel::name);
  if (kernel != kernels.end()) {
    said.name = kernel->name;
    said.uses_dynamic_stack = kernel->uses_dynamic_stack;
    if (!said.group_bytes) {
      said.group_bytes = kernel->group_bytes;
    }
    if (!said.private_bytes) {
      said.private_bytes = kernel->private_bytes;
    }
    if (!said.argument_bytes) {
      said.argument_bytes = kernel->argument_bytes;
    }
    if (!said.wave_size) {
      said.wave_size = kernel->wave_size;
    }
    *kernel = said;
  }
  return true;
}

bool add_document(Bytes bytes, std::vector<AmdKernel>& kernels) {
  MessagePack document(bytes);
  const auto root = document.next();
  if (!root || root->kind != MessagePackValue::Kind::kMap) {
    return false;
  }
  return read_map(document, *root, [&](std::string_view key, const MessagePackValue& value) {
    return key == "amdhsa.kernels"
               ? read_array_of_maps(document, value,
                                    [&](const MessagePackValue& kernel) {
                                      return add_metadata(document, kernel, kernels);
                                    })
               : document.skip(value);
  });
}

/// The size of an ELF file that begins with the bytes, by its table of sections; nothing if that
/// does not lie in the bytes.
std::optional<std::uint64_t> size_of_elf(Bytes bytes) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header || header->e_shoff < sizeof(Elf64_Ehdr) || header->e_shoff > bytes.size()) {
    return std::nullopt;
  }
  const std::uint64_t table = std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr);
  return slice(bytes, header->e_shoff, table) ? std::optional(header->e_shoff + table)
                                              : std::nullopt;
}

} // namespace

Result<std::optional<AmdCodeObject>> read_amd_code_object(Bytes bytes) {
  const auto processor = amd_processor_of(bytes);
  if (!processor) {
    return std::nullopt;
  }
  const ElfFile file = GANTRY_TRY(ElfFile::read(bytes));
  AmdCodeObject object = {*processor, GANTRY_TRY(kernels_of(file))};
  bool whole = true;
  visit_amd_metadata(
      bytes, [&](Bytes document) { whole = add_document(document, object.kernels) && whole; });
  if (!whole) {
    return fail("the code object's metadata is damaged");
  }
  return object;
}

std::vector<Bytes> find_amd_code_objects(const ElfFile& program) {
  std::vector<Bytes> found;
  for (const ElfSection& section : program.sections()) {
    if (section.header.sh_type != SHT_PROGBITS || (section.header.sh_flags & SHF_ALLOC) == 0) {
      continue;
    }
    const std::string_view text = as_text(section.contents);
    for (std::size_t at = text.find(ELFMAG); at != std::string_view::npos;) {
      const Bytes rest = section.contents.subspan(at);
      const auto size = amd_processor_of(rest) ? size_of_elf(rest) : std::nullopt;
      if (size) {
        found.push_back(rest.first(*size));
      }
      at = text.find(ELFMAG, at + size.value_or(1));
    }
  }
  return found;
}

} // namespace gantry::format
