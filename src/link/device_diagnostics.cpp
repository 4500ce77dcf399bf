#include "link/device_diagnostics.h"

#include "link/text.h"

#include <algorithm>
#include <optional>

#include <llvm/Demangle/Demangle.h>

namespace gantry::link {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// `text` after `prefix`, if it starts so.
std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return std::nullopt;
  }
  return text.substr(prefix.size());
}

/// One complaint of lld: its first line and the lines ">>> …" that belong to it.
struct Complaint {
  std::string_view headline;
  std::vector<std::string_view> details;
};

/// lld's complaints without its "ld.lld: error: "; text of another linker becomes headlines.
std::vector<Complaint> split(std::string_view diagnostics) {
  std::vector<Complaint> complaints;
  for (std::string_view line : lines_of(diagnostics)) {
    if (line.empty()) {
      continue;
    }
    if (line.starts_with(">>>") && !complaints.empty()) {
      complaints.back().details.push_back(line);
      continue;
    }
    if (const std::size_t error = line.find("error: "); contains(line, "ld.lld: error: ")) {
      line = line.substr(error + std::string_view("error: ").size());
    }
    complaints.push_back({.headline = line, .details = {}});
  }
  return complaints;
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string with_origins(std::string_view line, const ObjectOrigins& objects) {
  std::string result(line);
  for (const ObjectFile& object : objects.files) {
    if (!object.origin.empty()) {
      result = replace_all(std::move(result), object.path, object.origin);
    }
  }
  return result;
}

void add_unique(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) {
    names.push_back(name);
  }
}

/// The objects that a complaint's details name.
std::vector<std::string> origins_in(const Complaint& complaint, const ObjectOrigins& objects) {
  std::vector<std::string> result;
  for (const std::string_view line : complaint.details) {
    for (const ObjectFile& object : objects.files) {
      if (!object.origin.empty() && contains(line, object.path)) {
        add_unique(result, object.origin);
      }
    }
  }
  return result;
}

/// lld prints demangled names; bitcode's symbol table has mangled ones.
void add_references(std::vector<std::string>& origins, std::string_view symbol,
                    const ObjectOrigins& objects) {
  for (const auto& [name, users] : objects.references) {
    if (name == symbol || llvm::demangle(name) == symbol) {
      for (const std::string& user : users) {
        add_unique(origins, user);
      }
    }
  }
}

std::string list_of(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t index = 0; index < names.size(); ++index) {
    const bool last = index + 1 == names.size();
    result += index == 0 ? "" : last ? " and " : ", ";
    result += fmt::format("'{}'", names[index]);
  }
  return result;
}

std::optional<std::string> undefined_symbol(const Complaint& complaint,
                                            const ObjectOrigins& objects) {
  for (const std::string_view prefix :
       {"undefined symbol: ", "undefined protected symbol: ", "undefined hidden symbol: ",
        "undefined internal symbol: "}) {
    const std::optional<std::string_view> symbol = after(complaint.headline, prefix);
    if (!symbol) {
      continue;
    }
    std::vector<std::string> users = origins_in(complaint, objects);
    add_references(users, *symbol, objects);
    return no_definition(*symbol, users, objects);
  }
  return std::nullopt;
}

std::optional<std::string> duplicate_symbol(const Complaint& complaint,
                                            const ObjectOrigins& objects) {
  const std::optional<std::string_view> symbol = after(complaint.headline, "duplicate symbol: ");
  if (!symbol) {
    return std::nullopt;
  }
  std::vector<std::string> definers = origins_in(complaint, objects);
  add_references(definers, *symbol, objects);
  return several_definitions(*symbol, definers);
}

} // namespace

std::string no_definition(std::string_view symbol, const std::vector<std::string>& users,
                          const ObjectOrigins& objects) {
  const std::string name = llvm::demangle(symbol);
  const std::string who = users.empty() ? "this program" : list_of(users);
  const auto library =
      std::ranges::find_if(objects.definitions_in_libraries, [&](const auto& definition) {
        return definition.first == symbol || llvm::demangle(definition.first) == name;
      });
  if (library != objects.definitions_in_libraries.end()) {
    return fmt::format("device code in {} uses '{}', and the device's version of it is in the "
                       "image of the shared library '{}'; device code cannot call into another "
                       "library's image: link the definition as an object or archive",
                       who, name, library->second.library);
  }
  return fmt::format("device code in {} uses '{}', and nothing in this link defines it for the "
                     "device; compile its definition under '#pragma omp declare target' with the "
                     "same targets, and link that object",
                     who, name);
}

std::string several_definitions(std::string_view symbol, const std::vector<std::string>& definers) {
  return fmt::format("{} define '{}' for the device, and only one may; the same object may be "
                     "linked twice, or a definition stand in a header without 'inline'",
                     list_of(definers), llvm::demangle(symbol));
}

Error explain_link_failure(std::string_view diagnostics, const ObjectOrigins& objects,
                           std::string_view linker) {
  std::string message;
  for (const Complaint& complaint : split(diagnostics)) {
    std::optional<std::string> sentence = undefined_symbol(complaint, objects);
    if (!sentence) {
      sentence = duplicate_symbol(complaint, objects);
    }
    message += message.empty() ? "" : "\n";
    message += sentence ? *sentence : with_origins(complaint.headline, objects);
    if (!sentence) {
      for (const std::string_view detail : complaint.details) {
        message += fmt::format("\n{}", with_origins(detail, objects));
      }
    }
  }
  if (message.empty()) {
    message = fmt::format("the device linker '{}' failed and said nothing", linker);
  }
  return {std::move(message)};
}

} // namespace gantry::link
