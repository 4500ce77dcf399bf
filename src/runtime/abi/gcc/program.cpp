#include "runtime/abi/gcc/program.h"

#include <cstring>
#include <span>

namespace gantry::abi::gcc {

namespace {

/// A description of an image as its version has it.
struct Description {
  NvptxImage image{};
  std::uintptr_t requires_mask = 0;
};

Result<Description> describe(const Registration& registration) {
  const unsigned library = registration.version >> kLibraryShift;
  const unsigned format = registration.version & ((1U << kLibraryShift) - 1);
  if (library > kNewestLibrary || format > kNewestNvptxFormat) {
    return fail("the program's image is registered with version {:#x}, and this runtime knows "
                "{:#x} and older; it was built by a newer GCC than Gantry supports",
                registration.version, kNewestLibrary << kLibraryShift | kNewestNvptxFormat);
  }
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

/// The n-th on the host and the n-th in the image are one and the same.
Status check_counts(std::span<void* const> functions, std::span<const VariableEntry> variables,
                    const NvptxImage& image) {
  if (functions.size() == image.function_count && variables.size() == image.variable_count) {
    return {};
  }
  return fail("the program's tables have {} target regions and {} variables, and those of its "
              "device image {} and {}; they must be equal and in the same order: was the program "
              "linked with --gc-sections, which takes the host's tables away, or objects of "
              "different builds?",
              functions.size(), variables.size(), image.function_count, image.variable_count);
}

void join_objects(const NvptxImage& image, std::vector<std::byte>& joined) {
  for (const NvptxObject& object : std::span(image.objects, image.object_count)) {
    const auto* code = reinterpret_cast<const std::byte*>(object.code);
    joined.insert(joined.end(), code, code + object.size);
  }
}

} // namespace

Result<core::ProgramContents> decode_program(const void* registered) {
  auto& registration = *static_cast<Registration*>(const_cast<void*>(registered));
  core::ProgramContents contents;
  if (registration.target != kTargetNvptx) {
    return contents; // for devices that nothing here drives
  }
  const auto description = describe(registration);
  if (!description) {
    return tl::unexpected(description.error());
  }
  const HostTable& table = *registration.table;
  const std::span functions(table.functions, table.functions_end);
  const std::span variables(table.variables, table.variables_end);
  const NvptxImage& image = description->image;
  if (Status status = check_counts(functions, variables, image); !status) {
    return tl::unexpected(status.error());
  }
  if ((description->requires_mask & kRequiresReverseOffload) != 0) {
    return fail(
        "the program requires reverse_offload, which Gantry does not support yet; leave the "
        "requires directive out");
  }
  if (image.indirect_count != 0) {
    return fail("the program has {} functions that are called by pointer on the device (declare "
                "target indirect), which Gantry does not support in images of GCC",
                image.indirect_count);
  }
  contents.unified_shared_memory = (description->requires_mask & kRequiresUnifiedSharedMemory) != 0;
  if (registration.image.empty()) {
    join_objects(image, registration.image);
  }
  contents.images.emplace_back(registration.image);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    contents.entries.push_back({core::EntryKind::kKernel, functions[i], image.functions[i].name});
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const bool link = (variables[i].size & kLinkVariable) != 0;
    contents.entries.push_back({link ? core::EntryKind::kLinkPointer : core::EntryKind::kVariable,
                                variables[i].address, image.variables[i],
                                variables[i].size & ~kLinkVariable});
  }
  return contents;
}

} // namespace gantry::abi::gcc
