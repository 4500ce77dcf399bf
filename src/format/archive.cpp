// An archive is an 8-byte magic and then members, each a 60-byte header of text fields and its
// contents, padded to an even length. Names too long for the header's 16 bytes are
//
//   GNU:  `/123`     a position in the table of names, the member `//`, where a name ends in "/\n"
//   BSD:  `#1/20`    the first 20 bytes of the contents
//
// GNU writes short names with a `/` at the end. A thin archive has headers and the two special
// members `/` (symbol index) and `//` (names) only.

#include "format/archive.h"

#include <algorithm>
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

template <typename Word>
Word big_endian(Bytes bytes, std::uint64_t offset) {
  Word value = 0;
  for (std::size_t index = 0; index < sizeof(Word); ++index) {
    value = (value << 8U) | std::to_integer<Word>(bytes[offset + index]);
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
    const bool is_index = raw_name == "/" || raw_name == "/SYM64/";
    const bool is_special = is_index || raw_name == "//";
    const bool has_contents = is_special || !archive.thin_;
    const std::uint64_t start = offset + sizeof(MemberHeader);
    const auto contents = slice(bytes, start, has_contents ? *size : 0);
    if (!contents) {
      return fail("the member at offset {} has {} bytes, but only {} are left; the archive is "
                  "truncated",
                  offset, *size, bytes.size() - start);
    }
    if (is_index) {
      archive.index_ = *contents;
      archive.index_word_ = raw_name == "/" ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
    } else if (is_special) {
      names = as_text(*contents);
    } else {
      const auto name = GANTRY_TRY_CONTEXT(read_name(raw_name, *contents, names),
                                           fmt::format("member at offset {}", offset));
      if (!is_bsd_index(name.text)) {
        archive.members_.push_back({name.text, contents->subspan(name.bytes_of_contents), offset});
      }
    }
    offset = start + contents->size();
    offset += offset % 2;
  }
  return archive;
}

const ArchiveMember* Archive::member_at(std::uint64_t offset) const {
  const auto found = std::ranges::lower_bound(members_, offset, {}, &ArchiveMember::offset);
  return found == members_.end() || found->offset != offset ? nullptr : &*found;
}

Result<std::optional<std::vector<ArchiveSymbol>>> Archive::symbol_index() const {
  if (!index_) {
    return std::nullopt;
  }
  const auto word_at = [&](std::uint64_t offset) -> std::uint64_t {
    return index_word_ == sizeof(std::uint32_t) ? big_endian<std::uint32_t>(*index_, offset)
                                                : big_endian<std::uint64_t>(*index_, offset);
  };
  if (index_->size() < index_word_) {
    return fail("the archive's symbol index has {} bytes, expected at least {}", index_->size(),
                index_word_);
  }
  const std::uint64_t count = word_at(0);
  if (count > index_->size() / index_word_ - 1) {
    return fail("the archive's symbol index of {} bytes is too small for the {} symbols it claims",
                index_->size(), count);
  }
  std::vector<ArchiveSymbol> symbols;
  symbols.reserve(count);
  std::uint64_t name_at = (count + 1) * index_word_;
  for (std::uint64_t index = 0; index < count; ++index) {
    const auto name = c_string(*index_, name_at);
    if (!name) {
      return fail("the name of symbol {} does not end inside the archive's symbol index", index);
    }
    symbols.push_back({*name, word_at((index + 1) * index_word_)});
    name_at += name->size() + 1;
  }
  return symbols;
}

std::filesystem::path thin_member_path(const std::filesystem::path& archive,
                                       const ArchiveMember& member) {
  return archive.parent_path() / std::filesystem::path(member.name); // an absolute path replaces
}

} // namespace gantry::format
