#include "format/archive_writer.h"

#include <fmt/format.h>

namespace gantry::format {
namespace {

void append_header(std::string& text, std::string_view name, std::size_t size) {
  text += fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", name, 0, 0, 0, 644, size);
}

void pad(std::string& text) {
  if (text.size() % 2 != 0) {
    text += '\n';
  }
}

} // namespace

std::vector<std::byte> write_archive(std::span<const NewArchiveMember> members) {
  constexpr std::size_t kLongestShortName = 15; // one of the 16 characters is the '/' at the end
  std::string names;
  std::vector<std::string> header_names;
  for (const NewArchiveMember& member : members) {
    if (member.name.size() <= kLongestShortName) {
      header_names.push_back(member.name + "/");
    } else {
      header_names.push_back(fmt::format("/{}", names.size()));
      names += member.name + "/\n";
    }
  }
  std::string text = "!<arch>\n";
  if (!names.empty()) {
    append_header(text, "//", names.size());
    text += names;
    pad(text);
  }
  for (std::size_t index = 0; index < members.size(); ++index) {
    append_header(text, header_names[index], members[index].contents.size());
    text += as_text(members[index].contents);
    pad(text);
  }
  const Bytes bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

} // namespace gantry::format
