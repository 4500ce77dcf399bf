#include "cli/inspect_report.h"

#include "format/producer.h"

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
  report.producer = format::producer(image.contents);
  if (!is_elf(format::identify(image.contents))) {
    return report;
  }
  const auto elf = ElfFile::read(image.contents);
  if (!elf) {
    return tl::unexpected(elf.error());
  }
  auto tables = format::read_entry_tables(*elf);
  if (!tables) {
    return tl::unexpected(tables.error());
  }
  report.entry_tables = std::move(*tables);
  return report;
}

/// Appends the images of the containers in `bytes`, which are the section `section` of a file.
Status inspect_images(Bytes bytes, std::string_view section, bool linked, PartReport& report) {
  const auto images = format::read_offload_binaries(bytes);
  if (!images) {
    return tl::unexpected(images.error());
  }
  for (const OffloadImage& image : *images) {
    auto image_report = inspect_image(image);
    if (!image_report) {
      return with_context(image_report.error(), fmt::format("image {}", report.images.size()));
    }
    image_report->section = section;
    image_report->linked = linked;
    report.images.push_back(std::move(*image_report));
  }
  return {};
}

Status inspect_elf(Bytes bytes, PartReport& report) {
  const auto elf = ElfFile::read(bytes);
  if (!elf) {
    return tl::unexpected(elf.error());
  }
  for (const format::OffloadSection& section : format::find_offload_sections(*elf)) {
    if (Status images = inspect_images(section.contents, section.name, section.linked, report);
        !images) {
      return with_context(images.error(), fmt::format("section '{}'", section.name));
    }
  }
  auto tables = format::read_entry_tables(*elf);
  if (!tables) {
    return tl::unexpected(tables.error());
  }
  report.entry_tables = std::move(*tables);
  auto paired = format::read_openmp_target(*elf);
  if (!paired) {
    return tl::unexpected(paired.error());
  }
  report.openmp_target = std::move(*paired);
  const auto registers = format::registers_itself(*elf);
  if (!registers) {
    return tl::unexpected(registers.error());
  }
  report.registers_itself = *registers;
  const auto of_gcc = format::has_device_code_of_gcc(*elf);
  if (!of_gcc) {
    return tl::unexpected(of_gcc.error());
  }
  report.of_gcc = *of_gcc;
  return {};
}

} // namespace

Result<PartReport> inspect_part(const format::InputFile::Part& part) {
  PartReport report;
  report.path = part.path;
  report.member = part.member;
  report.contents = format::describe(part.bytes);
  report.producer = format::producer(part.bytes);
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
