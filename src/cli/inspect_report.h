// What `gantry inspect` finds in a file, before it is printed.
//
// The reports point into the file's bytes, which must outlive them.
#pragma once

#include "base/result.h"
#include "format/amd_code_object.h"
#include "format/entries.h"
#include "format/input_file.h"
#include "format/openmp_target.h"

#include <optional>
#include <string>
#include <vector>

namespace gantry::cli {

struct ImageReport {
  std::string_view section; ///< empty for a raw offload binary
  bool linked = false;      ///< a linker's output, as opposed to an input of the device link
  format::OffloadImage image;
  std::string contents; ///< what the image's bytes are
  std::string producer; ///< which program made them
  std::vector<format::EntryTable> entry_tables;
  std::optional<format::AmdCodeObject> code_object; ///< if it is one
};

/// One file, or one member of an archive.
struct PartReport {
  std::string path;
  std::string member; ///< empty unless of an archive
  std::string contents;
  std::string producer;
  std::optional<bool> registers_itself; ///< nothing for files that are not loaded or linked
  bool of_gcc = false;                  ///< GCC's device code is in it, not all of which is shown
  bool is_bitcode = false;              ///< device code in it would be seen by the linker alone
  std::vector<ImageReport> images;
  std::vector<format::EntryTable> entry_tables;
  std::optional<format::OpenmpTargetTable> openmp_target; ///< of GCC's design of 2013
  /// The file itself, or those that GCC has put into a program.
  std::vector<format::AmdCodeObject> code_objects;

  [[nodiscard]] bool has_device_code() const {
    return registers_itself.value_or(false) || !images.empty() || !entry_tables.empty() ||
           openmp_target.has_value() || !code_objects.empty();
  }
};

[[nodiscard]] Result<PartReport> inspect_part(const format::InputFile::Part& part);

/// `reports` for a reader: on a terminal, or in a log.
[[nodiscard]] std::string to_table(const std::vector<PartReport>& reports);

/// `reports` for programs; docs/tools.md has the fields.
[[nodiscard]] std::string to_json(const std::vector<PartReport>& reports);

} // namespace gantry::cli
