// Writing a static archive of plain data files.
#pragma once

#include "base/bytes.h"

#include <span>
#include <string>
#include <vector>

namespace gantry::format {

struct NewArchiveMember {
  std::string name;
  Bytes contents;
};

/// A GNU archive of these members, in order, without a symbol index; dates and owners are zero, so
/// that equal members make equal archives.
[[nodiscard]] std::vector<std::byte> write_archive(std::span<const NewArchiveMember> members);

} // namespace gantry::format
