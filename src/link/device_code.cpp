#include "link/device_code.h"

#include "format/elf.h"
#include "link/bitcode.h"

namespace gantry::link {
namespace {

constexpr std::string_view kCurrentTable = "llvm_offload_entries";
constexpr std::string_view kLegacyTable = "omp_offloading_entries";

class Extractor {
public:
  Status add(const HostObject& object) {
    const Status status = object.is_bitcode ? add_bitcode(object) : add_elf(object);
    if (!status) {
      return with_context(status.error(), object.origin);
    }
    return {};
  }

  DeviceCode take() { return std::move(code_); }

private:
  Status add_elf(const HostObject& object) {
    const Result<format::ElfFile> file = format::ElfFile::read(object.contents);
    if (!file) {
      return tl::unexpected(file.error());
    }
    code_.tables.current |= file->find_section(kCurrentTable) != nullptr;
    code_.tables.legacy |= file->find_section(kLegacyTable) != nullptr;
    for (const format::OffloadSection& section : format::find_offload_sections(*file)) {
      if (section.linked) {
        continue;
      }
      if (Status status = add_containers(object, section.contents, nullptr); !status) {
        return with_context(status.error(), fmt::format("section '{}'", section.name));
      }
    }
    return {};
  }

  Status add_bitcode(const HostObject& object) {
    Result<EmbeddedDeviceCode> embedded = read_embedded_device_code(object.contents, object.origin);
    if (!embedded) {
      return tl::unexpected(std::move(embedded).error());
    }
    code_.tables.current |= embedded->current_table;
    code_.tables.legacy |= embedded->legacy_table;
    const auto entries =
        std::make_shared<const std::vector<std::string>>(std::move(embedded->entries));
    for (std::vector<std::byte>& container : embedded->containers) {
      code_.storage.push_back(std::move(container));
      if (Status status = add_containers(object, code_.storage.back(), entries); !status) {
        return status;
      }
    }
    return {};
  }

  Status add_containers(const HostObject& object, Bytes containers,
                        const std::shared_ptr<const std::vector<std::string>>& entries) {
    const Result<std::vector<format::OffloadImage>> images =
        format::read_offload_binaries(containers);
    if (!images) {
      return tl::unexpected(images.error());
    }
    for (const format::OffloadImage& image : *images) {
      code_.inputs.push_back({.origin = object.origin,
                              .triple = std::string(image.triple()),
                              .arch = std::string(image.arch()),
                              .offload_kind = image.offload_kind,
                              .contents = image.contents,
                              .entries = entries});
    }
    return {};
  }

  DeviceCode code_;
};

} // namespace

Result<DeviceCode> extract_device_code(const std::vector<HostObject>& objects) {
  Extractor extractor;
  for (const HostObject& object : objects) {
    if (Status status = extractor.add(object); !status) {
      return tl::unexpected(std::move(status).error());
    }
  }
  return extractor.take();
}

} // namespace gantry::link
