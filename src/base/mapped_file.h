// A file mapped read-only into memory: the way every tool here reads its inputs, so that scanning
// an archive of a gigabyte costs the pages that are looked at and no copy.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <filesystem>

namespace gantry {

/// Owns the mapping; what points into bytes() must not outlive it. Movable: the bytes stay where
/// they are. Any thread may read bytes(). A file that another process truncates while it is mapped
/// makes reads past its new end fault, as for every linker.
class MappedFile {
public:
  /// Maps the regular file `path`. The error names the path and what the system said.
  [[nodiscard]] static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] Bytes bytes() const { return bytes_; }

private:
  explicit MappedFile(Bytes bytes) : bytes_(bytes) {}

  Bytes bytes_;
};

} // namespace gantry
