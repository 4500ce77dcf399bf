#include "runtime/abi/gcc/program.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include <fmt/format.h>

// An image that is not understood is no image: under OMP_TARGET_OFFLOAD=DEFAULT the host goes on
// without.

namespace gantry::abi::gcc {

namespace {

/// A description of an image as its version has it.
struct Description {
  NvptxImage image{};
  std::uintptr_t requires_mask = 0;
};

Status check_version(const Registration& registration) {
  const unsigned library = registration.version >> kLibraryShift;
  const unsigned format = registration.version & ((1U << kLibraryShift) - 1);
  if (registration.target == kTargetGcn && format != kGcnFormat) {
    return refuse(
        "the program's image for AMD's GPUs is of GCC's format {}, and this runtime knows "
        "format {}, which is GCC 12's",
        format, kGcnFormat);
  }
  const unsigned newest = registration.target == kTargetGcn ? kGcnFormat : kNewestFormat;
  if (library > kNewestLibrary || format > newest) {
    return refuse("the program's image is registered with version {:#x}, and this runtime knows "
                  "{:#x} and older; it was built by a newer GCC than Gantry supports",
                  registration.version, kNewestLibrary << kLibraryShift | kNewestFormat);
  }
  return {};
}

Description describe(const Registration& registration) {
  const unsigned library = registration.version >> kLibraryShift;
  Description description;
  const auto* data = static_cast<const std::byte*>(registration.data);
  if (library >= kLibraryWithRequires) {
    std::memcpy(&description.requires_mask, data, sizeof description.requires_mask);
    data += sizeof description.requires_mask;
  }
  const std::size_t size =
      library >= kLibraryWithIndirect ? sizeof(NvptxImage) : offsetof(NvptxImage, indirect_count);
  std::memcpy(&description.image, data, size);
  return description;
}

void join_objects(const NvptxImage& image, std::vector<std::byte>& joined) {
  for (const NvptxObject& object : std::span(image.objects, image.object_count)) {
    const auto* code = reinterpret_cast<const std::byte*>(object.code);
    joined.insert(joined.end(), code, code + object.size);
  }
}

/// A program's host tables.
struct Tables {
  explicit Tables(const HostTable& table)
      : functions(table.functions, table.functions_end),
        variables(table.variables, table.variables_end) {}
  std::span<void* const> functions;
  std::span<const VariableEntry> variables;
};

/// The n-th on the host and the n-th in the image are one and the same.
Status check_counts(const Tables& tables, std::size_t functions, std::size_t variables) {
  if (tables.functions.size() == functions && tables.variables.size() == variables) {
    return {};
  }
  return refuse("the program's tables have {} target regions and {} variables, and those of its "
                "device image {} and {}; they must be equal and in the same order: was the program "
                "linked with --gc-sections, which takes the host's tables away, or objects of "
                "different builds?",
                tables.functions.size(), tables.variables.size(), functions, variables);
}

/// Has names for so many positions.
void name_positions(Registration& registration, std::size_t count) {
  std::vector<std::string>& names = registration.positions;
  while (names.size() < count) {
    names.push_back(fmt::format("#{}", names.size()));
  }
}

Result<core::ProgramContents> decode_nvptx(Registration& registration, const Tables& tables) {
  const Description description = describe(registration);
  const NvptxImage& image = description.image;
  GANTRY_TRY(check_counts(tables, image.function_count, image.variable_count));
  if ((description.requires_mask & kRequiresReverseOffload) != 0) {
    return refuse("the program requires reverse_offload, which Gantry does not support; leave the "
                  "requires directive out");
  }
  if (image.indirect_count != 0) {
    return refuse("the program has {} functions that are called by pointer on the device (declare "
                  "target indirect), which Gantry does not support in images of GCC",
                  image.indirect_count);
  }
  core::ProgramContents contents;
  contents.unified_shared_memory = (description.requires_mask & kRequiresUnifiedSharedMemory) != 0;
  if (registration.image.empty()) {
    join_objects(image, registration.image);
  }
  contents.images.emplace_back(registration.image);
  for (std::size_t i = 0; i < tables.functions.size(); ++i) {
    contents.entries.push_back(
        {core::EntryKind::kKernel, tables.functions[i], image.functions[i].name});
  }
  for (std::size_t i = 0; i < tables.variables.size(); ++i) {
    const auto& [address, size] = tables.variables[i];
    const bool link = (size & kLinkVariable) != 0;
    if (link != std::string_view(image.variables[i]).ends_with(kLinkPointerSuffix)) {
      return refuse(
          "the device image has '{}' where the program's tables have a variable that {} "
          "`declare target link`; GCC 12's assembler for PTX changes their order if others "
          "follow such a variable: declare it behind them",
          image.variables[i], link ? "is" : "is not");
    }
    contents.entries.push_back({link ? core::EntryKind::kLinkPointer : core::EntryKind::kVariable,
                                address, image.variables[i], size & ~kLinkVariable});
  }
  return contents;
}

/// The code object has its variables in a table, by position alone.
Result<core::ProgramContents> decode_gcn(Registration& registration, const Tables& tables) {
  const auto& image = *static_cast<const GcnImage*>(registration.data);
  std::vector<const char*> kernels;
  for (const GcnKernel& kernel : std::span(image.kernels, image.kernel_count)) {
    if (kernel.name != kGcnConstructors && kernel.name != kGcnDestructors) {
      kernels.push_back(kernel.name);
    }
  }
  GANTRY_TRY(check_counts(tables, kernels.size(), image.variable_count));
  core::ProgramContents contents;
  contents.images.emplace_back(image.code->bytes, image.code->size);
  for (std::size_t i = 0; i < tables.functions.size(); ++i) {
    contents.entries.push_back({core::EntryKind::kKernel, tables.functions[i], kernels[i]});
  }
  name_positions(registration, tables.variables.size());
  for (std::size_t i = 0; i < tables.variables.size(); ++i) {
    const auto& [address, size] = tables.variables[i];
    contents.entries.push_back(
        {(size & kLinkVariable) != 0 ? core::EntryKind::kLinkPointer : core::EntryKind::kVariable,
         address, registration.positions[i].c_str(), size & ~kLinkVariable});
    contents.entries.back().nameless = true;
  }
  return contents;
}

/// The host's code once more. What is in it has no names that are its own alone, and is found by
/// its position.
Result<core::ProgramContents> decode_host_code(Registration& registration, const Tables& tables) {
  const auto& image = *static_cast<const HostCodeImage*>(registration.data);
  GANTRY_TRY(check_counts(tables, image.function_count, image.variable_count));
  name_positions(registration, std::max(tables.functions.size(), tables.variables.size()));
  const std::vector<std::string>& names = registration.positions;
  core::ProgramContents contents;
  contents.images.emplace_back(image.begin, image.end);
  for (std::size_t i = 0; i < tables.functions.size(); ++i) {
    contents.entries.push_back({core::EntryKind::kKernel, tables.functions[i], names[i].c_str()});
  }
  for (std::size_t i = 0; i < tables.variables.size(); ++i) {
    const auto& [address, size] = tables.variables[i];
    contents.entries.push_back(
        {(size & kLinkVariable) != 0 ? core::EntryKind::kLinkStorage : core::EntryKind::kVariable,
         address, names[i].c_str(), size & ~kLinkVariable});
    contents.entries.back().nameless = true;
  }
  return contents;
}

} // namespace

Result<core::ProgramContents> decode_program(const void* registered) {
  auto& registration = *static_cast<Registration*>(const_cast<void*>(registered));
  if (registration.target != kTargetNvptx && registration.target != kTargetGcn &&
      registration.target != kTargetHostCode) {
    return core::ProgramContents(); // for devices that nothing here drives
  }
  GANTRY_TRY(check_version(registration));
  const Tables tables(*registration.table);
  const std::lock_guard lock(registration.mutex);
  switch (registration.target) {
  case kTargetNvptx:
    return decode_nvptx(registration, tables);
  case kTargetGcn:
    return decode_gcn(registration, tables);
  default:
    return decode_host_code(registration, tables);
  }
}

} // namespace gantry::abi::gcc
