// An archive is an 8-byte magic and then members, each a 60-byte header of text fields and its
// contents, padded to an even length. Names too long for the header's 16 bytes are
//
//   GNU:  `/123`     a position in the table of names, the member `//`, where a name ends in "/\n"
//   BSD:  `#1/20`    the first 20 bytes of the contents
//
// GNU writes short names with a `/` at the end. A thin archive has headers and the two special
// members `/` (symbol index) and `//` (names) only.

#include "format/archive.h"

#include <array>
#include <charconv>

namespace gantry::format {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::string_view kThinMagic = "!<thin>\n";
constexpr std::string_view kHeaderEnd = "`\n";

struct MemberHeader {
  std::array<char, 16> name;
  std::array<char, 12> date;
  std::array<char, 6> owner;
  std::array<char, 6> group;
  std::array<char, 8> mode;
  std::array<char, 10> size;
  std::array<char, 2> end;
};
static_assert(sizeof(MemberHeader) == 60);

/// A field's text without the blanks that fill it.
template <std::size_t Size>
std::string_view field(const std::array<char, Size>& characters) {
  const std::string_view text(characters.data(), characters.size());
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

std::optional<std::uint64_t> decimal(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

/// The name of a member and how many bytes of its contents the name takes (BSD).
struct MemberName {
  std::string_view text;
  std::uint64_t bytes_of_contents = 0;
};

Result<MemberName> long_gnu_name(std::string_view reference, std::string_view names) {
  const auto position = decimal(reference);
  if (!position) {
    return fail("the member name '/{}' is not a position in the table of long names", reference);
  }
  if (*position >= names.size()) {
    return fail("the member name '/{}' is past the {} bytes of the table of long names", reference,
                names.size());
  }
  std::string_view name = names.substr(*position);
  name = name.substr(0, name.find('\n'));
  if (name.ends_with('/')) {
    name.remove_suffix(1);
  }
  return MemberName{name};
}

Result<MemberName> read_name(std::string_view raw, Bytes contents, std::string_view names) {
  if (raw.starts_with("#1/")) {
    const auto size = decimal(raw.substr(3));
    const auto text = size ? slice(contents, 0, *size) : std::nullopt;
    if (!text) {
      return fail("the member name '{}' does not give a length inside the member's {} bytes", raw,
                  contents.size());
    }
    const std::string_view padded = as_text(*text);
    return MemberName{padded.substr(0, padded.find('\0')), *size};
  }
  if (raw.size() > 1 && raw.starts_with('/')) {
    return long_gnu_name(raw.substr(1), names);
  }
  if (raw.ends_with('/')) {
    raw.remove_suffix(1);
  }
  return MemberName{raw};
}

bool is_bsd_index(std::string_view name) {
  return name.starts_with("__.SYMDEF");
}

} // namespace

Result<Archive> Archive::read(Bytes bytes) {
  const std::string_view text = as_text(bytes);
  Archive archive;
  archive.thin_ = text.starts_with(kThinMagic);
  if (!archive.thin_ && !text.starts_with(kMagic)) {
    return fail("the magic number '!<arch>' or '!<thin>' of an archive is missing");
  }
  std::string_view names;
  std::uint64_t offset = kMagic.size();
  while (offset < bytes.size()) {
    const auto header = load<MemberHeader>(bytes, offset);
    if (!header || std::string_view(header->end.data(), header->end.size()) != kHeaderEnd) {
      return fail("there is no member header at offset {} of the archive's {} bytes", offset,
                  bytes.size());
    }
    // The header is a copy; names point into the file.
    const std::string_view raw_name = text.substr(offset, field(header->name).size());
    const auto size = decimal(field(header->size));
    if (!size) {
      return fail("the size of the member at offset {} is '{}', expected a decimal number", offset,
                  field(header->size));
    }
    const bool is_table_of_names = raw_name == "//";
    const bool is_special = is_table_of_names || raw_name == "/" || raw_name == "/SYM64/";
    const bool has_contents = is_special || !archive.thin_;
    const std::uint64_t start = offset + sizeof(MemberHeader);
    const auto contents = slice(bytes, start, has_contents ? *size : 0);
    if (!contents) {
      return fail("the member at offset {} has {} bytes, but only {} are left; the archive is "
                  "truncated",
                  offset, *size, bytes.size() - start);
    }
    if (is_table_of_names) {
      names = as_text(*contents);
    } else if (!is_special) {
      const auto name = GANTRY_TRY_CONTEXT(read_name(raw_name, *contents, names),
                                           fmt::format("member at offset {}", offset));
      if (!is_bsd_index(name.text)) {
        archive.members_.push_back({name.text, contents->subspan(name.bytes_of_contents)});
      }
    }
    offset = start + contents->size();
    offset += offset % 2;
  }
  return archive;
}

std::filesystem::path thin_member_path(const std::filesystem::path& archive,
                                       const ArchiveMember& member) {
  return archive.parent_path() / std::filesystem::path(member.name); // an absolute path replaces
}

} // namespace gantry::format
