// Static archives: the common `ar` format with GNU and BSD long names, and GNU thin archives, whose
// members are files of their own.
//
// Views into the caller's bytes, which must outlive them; safe to read from any thread. Opening an
// archive looks at the member headers and at nothing else.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace gantry::format {

struct ArchiveMember {
  std::string_view name; ///< in a thin archive: the path of the member's file
  Bytes contents;        ///< empty in a thin archive
};

class Archive {
public:
  [[nodiscard]] static Result<Archive> read(Bytes bytes);

  /// In the order of the archive, without the symbol index and the table of long names.
  [[nodiscard]] std::span<const ArchiveMember> members() const { return members_; }

  [[nodiscard]] bool is_thin() const { return thin_; }

private:
  bool thin_ = false;
  std::vector<ArchiveMember> members_;
};

/// Where the file of a member of the thin archive `archive` is: its path, which counts from the
/// archive's folder unless it is absolute.
[[nodiscard]] std::filesystem::path thin_member_path(const std::filesystem::path& archive,
                                                     const ArchiveMember& member);

} // namespace gantry::format
