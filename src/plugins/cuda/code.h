// What an image holds: PTX text, or a fat binary with machine code and PTX.
#pragma once

#include <string_view>
#include <vector>

namespace gantry::cuda {

/// An architecture that there is code for.
struct CodeTarget {
  int architecture = 0;      ///< 90 of ".target sm_90"; 0: the bytes are no code
  char variant = '\0';       ///< 'a': for that architecture alone; 'f': for its family, newer too
  bool machine_code = false; ///< else PTX
};

/// What PTX says it is for.
[[nodiscard]] CodeTarget ptx_target(std::string_view text);
/// The version that PTX says it is of ("8.7"); empty if the bytes are no PTX.
[[nodiscard]] std::string_view ptx_version(std::string_view text);

/// What an image has code for; none if its bytes are damaged or something else.
[[nodiscard]] std::vector<CodeTarget> targets_of(std::string_view image);

/// Whether a device of compute capability `capability` (90 is 9.0) runs it.
[[nodiscard]] bool runs_on(const CodeTarget& target, int capability);

/// How well an image suits such a device, compared with others: 0 if it does not run there.
[[nodiscard]] unsigned rank_of(std::string_view image, int capability);

} // namespace gantry::cuda
