// Linker scripts: those that stand for libraries, such as glibc's libc.so, and those of -T.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gantry::link {

/// What a script says of the inputs of a link.
struct LinkerScript {
  struct File {
    std::string name; ///< a path or -l and a name
    bool as_needed = false;
  };
  std::vector<File> files;                 ///< of INPUT, GROUP and INCLUDE, in order
  std::vector<std::string> externals;      ///< of EXTERN: symbols to be taken from archives
  std::vector<std::string> search_folders; ///< of SEARCH_DIR
};

/// Any text is accepted; what is no such command is skipped.
[[nodiscard]] LinkerScript read_linker_script(std::string_view text);

} // namespace gantry::link
