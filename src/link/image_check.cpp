#include "link/image_check.h"

#include "format/elf.h"

namespace gantry::link {

Status check_entries(const DeviceGroup& group, const std::vector<std::byte>& image) {
  const auto file = GANTRY_TRY_CONTEXT(format::ElfFile::read(image), "the linked image");
  const auto symbols = GANTRY_TRY_CONTEXT(file.dynamic_symbols(), "the linked image");
  std::unordered_set<std::string_view> defined;
  for (const format::ElfSymbol& symbol : symbols) {
    if (!symbol.is_undefined() && !symbol.is_local()) {
      defined.insert(symbol.name);
    }
  }
  return check_entries(group, defined);
}

Status check_entries(const DeviceGroup& group,
                     const std::unordered_set<std::string_view>& defined) {
  for (const DeviceInput* input : group.inputs) {
    for (const std::string& entry : *input->entries) {
      if (!defined.contains(entry)) {
        return fail("'{}' has the offload entry '{}', and its device code does not define it; "
                    "compile the object again, host and device together",
                    input->origin, entry);
      }
    }
  }
  return {};
}

} // namespace gantry::link
