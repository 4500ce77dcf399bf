// The files of the host link: opened, told apart, libraries found as the linker finds them.
#pragma once

#include "base/mapped_file.h"
#include "base/result.h"
#include "format/archive.h"
#include "link/arguments.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gantry::link {

enum class HostFileKind { kObject, kBitcode, kArchive, kSharedLibrary, kLinkerScript };

struct HostFile {
  HostFileKind kind = HostFileKind::kObject;
  std::string path; ///< as the user gave it, or where -l found it
  /// As the user gave it: a path or -l and a name. What a linker writes into NEEDED for a shared
  /// library that has no DT_SONAME depends on it.
  std::string argument;
  Bytes contents;
  bool whole_archive = false;
  bool lazy = false;
  bool as_needed = false;
  unsigned group = 0;
};

/// The inputs of a link in command-line order; a linker script stands before the files it names.
/// Owns what the contents point to.
class HostFiles {
public:
  /// Opens the inputs. Leaves out those that do not exist or hold no code, because the host linker
  /// gets them too and reports them better.
  [[nodiscard]] static HostFiles open(const Arguments& arguments);

  [[nodiscard]] const std::vector<HostFile>& files() const { return files_; }

  /// Symbols that linker scripts want from archives.
  [[nodiscard]] const std::vector<std::string>& externals() const { return externals_; }

  /// True if some -l library was not found where the wrapper looks.
  [[nodiscard]] bool has_unknown_libraries() const { return has_unknown_libraries_; }

  /// Maps one more file, such as a member of a thin archive. Owned by this object.
  [[nodiscard]] Result<Bytes> map(const std::string& path);

private:
  void add(const Arguments& arguments, const HostInput& input, unsigned depth);
  void add_script(const Arguments& arguments, const HostInput& script, std::string_view text,
                  unsigned depth);

  [[nodiscard]] std::string find_library(const Arguments& arguments, const HostInput& input);

  std::vector<HostFile> files_;
  std::vector<std::string> externals_;
  std::vector<std::string> script_folders_;                  ///< of SEARCH_DIR
  std::optional<std::vector<std::string>> built_in_folders_; ///< once the linker was asked
  std::map<std::string, MappedFile, std::less<>> mapped_;
  unsigned script_groups_ = 0;
  bool has_unknown_libraries_ = false;
};

} // namespace gantry::link
