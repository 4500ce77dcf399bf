#include "link/undefined_check.h"

#include "format/elf.h"
#include "format/file_kind.h"
#include "link/sanitizers.h"

#include <algorithm>
#include <unordered_set>

namespace gantry::link {
namespace {

using Symbols = std::vector<format::ElfSymbol>;

/// The symbols of an object; none of one that is bitcode or damaged.
Symbols symbols_of(const DeviceInput& input) {
  if (format::identify(input.contents) != format::FileKind::kElfRelocatable) {
    return {};
  }
  return format::ElfFile::read(input.contents)
      .and_then([](const format::ElfFile& file) { return file.symbols(); })
      .value_or(Symbols{});
}

Result<Symbols> dynamic_symbols_of(Bytes contents) {
  return format::ElfFile::read(contents).and_then(
      [](const format::ElfFile& file) { return file.dynamic_symbols(); });
}

/// The objects whose device code refers to `name`.
std::vector<std::string> users_of(std::string_view name, const DeviceGroup& group,
                                  const ObjectOrigins& objects) {
  std::vector<std::string> users;
  for (const DeviceInput* input : group.inputs) {
    if (std::ranges::any_of(symbols_of(*input), [&](const format::ElfSymbol& symbol) {
          return symbol.is_undefined() && symbol.name == name;
        })) {
      users.push_back(input->origin);
    }
  }
  const auto in_bitcode = objects.references.find(std::string(name));
  if (in_bitcode != objects.references.end()) {
    users.insert(users.end(), in_bitcode->second.begin(), in_bitcode->second.end());
  }
  return users;
}

/// What the shared libraries that the image was linked with define.
std::unordered_set<std::string_view> definitions_in(const std::vector<HostLibrary>& libraries) {
  std::unordered_set<std::string_view> names;
  for (const HostLibrary& library : libraries) {
    if (!library.is_shared) {
      continue;
    }
    if (const Result<Symbols> symbols = dynamic_symbols_of(library.contents)) {
      for (const format::ElfSymbol& symbol : *symbols) {
        if (!symbol.is_undefined()) {
          names.insert(symbol.name);
        }
      }
    }
  }
  return names;
}

} // namespace

bool shares_sanitizer_runtime(const DeviceGroup& group, const ObjectOrigins& objects,
                              const DeviceLinkContext& context) {
  if (!context.scan.has_sanitizer_runtime && !context.arguments.shared) {
    return false;
  }
  const auto in_object = [](const DeviceInput* input) {
    return std::ranges::any_of(symbols_of(*input), [](const format::ElfSymbol& symbol) {
      return symbol.is_undefined() && is_sanitizer_symbol(symbol.name);
    });
  };
  const auto in_bitcode = [](const auto& reference) {
    return is_sanitizer_symbol(reference.first);
  };
  return std::ranges::any_of(group.inputs, in_object) ||
         std::ranges::any_of(objects.references, in_bitcode);
}

Status check_undefined(const DeviceGroup& group, const ObjectOrigins& objects,
                       const DeviceLinkContext& context, const std::vector<std::byte>& image) {
  const Symbols symbols = GANTRY_TRY_CONTEXT(dynamic_symbols_of(image), "the linked image");
  const bool may_be_incomplete = shares_sanitizer_runtime(group, objects, context);
  const std::unordered_set<std::string_view> provided =
      may_be_incomplete ? definitions_in(context.scan.libraries)
                        : std::unordered_set<std::string_view>{};
  std::string problems;
  for (const format::ElfSymbol& symbol : symbols) {
    if (!symbol.is_undefined() || symbol.is_weak() || symbol.name.empty()) {
      continue;
    }
    const auto definition = objects.definitions_in_libraries.find(std::string(symbol.name));
    const bool is_elsewhere =
        definition != objects.definitions_in_libraries.end() && definition->second.on_host;
    const bool is_nowhere =
        may_be_incomplete && !is_sanitizer_symbol(symbol.name) && !provided.contains(symbol.name);
    if (is_elsewhere || is_nowhere) {
      problems +=
          fmt::format("{}{}", problems.empty() ? "" : "\n",
                      no_definition(symbol.name, users_of(symbol.name, group, objects), objects));
    }
  }
  if (!problems.empty()) {
    return tl::unexpected(Error{std::move(problems)});
  }
  return {};
}

} // namespace gantry::link
