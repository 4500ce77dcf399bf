#include "cli/inspect_report.h"

#include "cli/producer.h"

namespace gantry::cli {
namespace {

using format::ElfFile;
using format::FileKind;
using format::OffloadImage;

bool is_elf(FileKind kind) {
  return kind == FileKind::kElfRelocatable || kind == FileKind::kElfExecutable ||
         kind == FileKind::kElfShared;
}

Result<ImageReport> inspect_image(const OffloadImage& image) {
  ImageReport report;
  report.image = image;
  report.contents = format::describe(image.contents);
  report.producer = producer(image.contents);
  if (!is_elf(format::identify(image.contents))) {
    return report;
  }
  const auto elf = GANTRY_TRY(ElfFile::read(image.contents));
  report.entry_tables = GANTRY_TRY(format::read_entry_tables(elf));
  report.code_object = GANTRY_TRY(format::read_amd_code_object(image.contents));
  return report;
}

/// Appends the images of the containers in `bytes`, which are the section `section` of a file.
Status inspect_images(Bytes bytes, std::string_view section, bool linked, PartReport& report) {
  const auto images = GANTRY_TRY(format::read_offload_binaries(bytes));
  for (const OffloadImage& image : images) {
    auto image_report =
        GANTRY_TRY_CONTEXT(inspect_image(image), fmt::format("image {}", report.images.size()));
    image_report.section = section;
    image_report.linked = linked;
    report.images.push_back(std::move(image_report));
  }
  return {};
}

Status inspect_elf(Bytes bytes, PartReport& report) {
  const auto elf = GANTRY_TRY(ElfFile::read(bytes));
  for (const format::OffloadSection& section : format::find_offload_sections(elf)) {
    GANTRY_TRY_CONTEXT(inspect_images(section.contents, section.name, section.linked, report),
                       fmt::format("section '{}'", section.name));
  }
  report.entry_tables = GANTRY_TRY(format::read_entry_tables(elf));
  report.openmp_target = GANTRY_TRY(format::read_openmp_target(elf));
  const auto registers = GANTRY_TRY(format::registers_itself(elf));
  report.registers_itself = registers;
  const auto of_gcc = GANTRY_TRY(format::has_device_code_of_gcc(elf));
  report.of_gcc = of_gcc;
  std::vector<Bytes> code_objects;
  if (of_gcc) {
    code_objects = format::find_amd_code_objects(elf);
  } else if (elf.machine() == format::kMachineAmdGpu) {
    code_objects.push_back(bytes);
  }
  for (const Bytes contents : code_objects) {
    if (auto object = GANTRY_TRY(format::read_amd_code_object(contents))) {
      report.code_objects.push_back(*std::move(object));
    }
  }
  return {};
}

} // namespace

Result<PartReport> inspect_part(const format::InputFile::Part& part) {
  PartReport report;
  report.path = part.path;
  report.member = part.member;
  report.contents = format::describe(part.bytes);
  report.producer = producer(part.bytes);
  report.is_bitcode = part.kind == FileKind::kBitcode;
  Status inspected;
  if (part.kind == FileKind::kOffloadBinary) {
    inspected = inspect_images(part.bytes, "", false, report);
  } else if (is_elf(part.kind)) {
    inspected = inspect_elf(part.bytes, report);
  }
  if (!inspected) {
    return with_context(inspected.error(), part.name());
  }
  return report;
}

} // namespace gantry::cli
