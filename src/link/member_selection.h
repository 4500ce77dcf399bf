// Which members of archives the host linker takes.
//
// A member is taken when it defines a symbol that is undefined so far (a weak reference does not
// count). GNU ld and gold look at an archive where it stands on the command line, again and again
// until it yields nothing new, and at a --start-group as a whole in the same way. lld and mold
// remember every archive's definitions, so that a later reference is still resolved by an earlier
// archive. Both are repeated here, each for its own linker. Where linkers of a family differ in a
// detail, a member too many is better than one too few: link/output_check.h refuses the latter.
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "link/arguments.h"
#include "link/scan.h"

#include <vector>

namespace gantry::link {

/// One input of the host link: objects that are taken as a whole, or that are `optional` like an
/// archive's members, or a shared library.
struct SelectionInput {
  std::vector<HostObject> objects = {};
  Bytes shared_library = {};
  bool optional = false;
  bool as_needed = false; ///< the shared library counts only if it is used
  unsigned group = 0;
  std::vector<std::size_t> selected = {}; ///< indices into `objects` of the optional ones taken
};

/// Fills `selected` of every optional input. `externals` are the symbols that linker scripts want.
[[nodiscard]] Status select_members(std::vector<SelectionInput>& inputs, const Arguments& arguments,
                                    const std::vector<std::string>& externals);

/// How a linker resolves symbols.
enum class LinkerKind {
  kGnu,
  kGold,
  kLld, ///< and mold: they remember archives
};

/// What the program at `path` is, by the name of the file that it is in the end.
[[nodiscard]] LinkerKind linker_kind(const std::string& linker_path);

} // namespace gantry::link
