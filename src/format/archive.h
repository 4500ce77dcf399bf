// Static archives: the common `ar` format with GNU and BSD long names, and GNU thin archives, whose
// members are files of their own.
//
// Views into the caller's bytes, which must outlive them; safe to read from any thread. Opening an
// archive looks at the member headers and at nothing else.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gantry::format {

struct ArchiveMember {
  std::string_view name;    ///< in a thin archive: the path of the member's file
  Bytes contents;           ///< empty in a thin archive
  std::uint64_t offset = 0; ///< of the member's header; the archive's symbol index refers to it
};

/// A symbol that the archive's index says a member defines.
struct ArchiveSymbol {
  std::string_view name;
  std::uint64_t member_offset = 0;
};

class Archive {
public:
  [[nodiscard]] static Result<Archive> read(Bytes bytes);

  /// In the order of the archive, without the symbol index and the table of long names.
  [[nodiscard]] std::span<const ArchiveMember> members() const { return members_; }

  [[nodiscard]] bool is_thin() const { return thin_; }

  /// The member whose header is at `offset`, or null.
  [[nodiscard]] const ArchiveMember* member_at(std::uint64_t offset) const;

  /// The GNU symbol index (`/` or `/SYM64/`); nothing if the archive has none, which a reader meets
  /// by looking at the members' own symbols.
  [[nodiscard]] Result<std::optional<std::vector<ArchiveSymbol>>> symbol_index() const;

private:
  bool thin_ = false;
  std::vector<ArchiveMember> members_;
  std::optional<Bytes> index_;
  std::size_t index_word_ = 0; ///< size of the index's numbers, 4 or 8
};

/// Where the file of a member of the thin archive `archive` is: its path, which counts from the
/// archive's folder unless it is absolute.
[[nodiscard]] std::filesystem::path thin_member_path(const std::filesystem::path& archive,
                                                     const ArchiveMember& member);

} // namespace gantry::format
