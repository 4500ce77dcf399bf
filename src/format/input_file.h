// A file given on a command line, opened as its parts: the members of an archive, or the file
// itself.
#pragma once

#include "base/mapped_file.h"
#include "format/archive.h"
#include "format/file_kind.h"
#include "format/offload_binary.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gantry::format {

/// Owns the mappings of the file and, for a thin archive, of its members' files; the views it hands
/// out live as long as it does, and stay valid when it is moved.
class InputFile {
public:
  struct Part {
    std::string path;   ///< of the file, as it was given
    std::string member; ///< its name if this is a member of an archive, else empty
    FileKind kind;
    Bytes bytes;

    /// "path" or "path(member)".
    [[nodiscard]] std::string name() const;
  };

  [[nodiscard]] static Result<InputFile> open(const std::filesystem::path& path);

  [[nodiscard]] FileKind kind() const { return kind_; }
  [[nodiscard]] bool is_archive() const {
    return kind_ == FileKind::kArchive || kind_ == FileKind::kThinArchive;
  }
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }

private:
  explicit InputFile(MappedFile file);

  [[nodiscard]] Status open_members(const std::filesystem::path& path);

  std::vector<MappedFile> mappings_; ///< the file, then a thin archive's members
  FileKind kind_;
  std::vector<Part> parts_;
};

/// Every device image of a part, in whatever section it is. Parts of other kinds, such as text,
/// have none; images inside LLVM bitcode are not seen, because finding them takes LLVM.
[[nodiscard]] Result<std::vector<OffloadImage>> read_images(const InputFile::Part& part);

} // namespace gantry::format
