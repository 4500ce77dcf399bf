// What compilers leave to symbol tables and debug information: GCC's programs say neither where a
// construct is nor what it maps.
#pragma once

#include "cli/profile/process_profile.h"

#include <functional>
#include <string>
#include <vector>

namespace gantry::cli::profile {

struct ModuleAddress {
  std::string file;
  std::uint64_t address = 0; ///< as the file's symbol table counts
};

/// What is at an address; what is not known is empty.
struct Symbol {
  std::string name;
  std::string position; ///< "app.c:12"
};

/// One answer for each address, or fewer.
using Symbolizer = std::function<std::vector<Symbol>(const std::vector<ModuleAddress>&)>;

/// libexec/gantry-symbolizer; answers nothing where it is missing. Files below `folder` are named
/// relative to it.
[[nodiscard]] Symbolizer installed_symbolizer(std::string folder);

/// Fills in positions of places and names of variables that the compiler has not said: those of
/// static storage.
void name_what_compilers_leave(ProcessProfile& profile, const Symbolizer& symbolizer);

/// Fills in where the places' sources are: compilers name them relative to the folder in which they
/// ran. `symbolizer` answers with absolute paths.
void find_sources(ProcessProfile& profile, const Symbolizer& symbolizer);

} // namespace gantry::cli::profile
