// Suggests the word that a user may have meant by an unknown one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gantry {

/// The one of `known` that takes the fewest changes of `given` (a letter put in, left out,
/// replaced, or two neighbours exchanged; a letter's case is none), if these are one for every four
/// letters at most; else empty. Of several the first.
[[nodiscard]] std::string_view nearest(std::string_view given,
                                       std::span<const std::string_view> known);

/// " (did you mean 'worker'?)", or nothing: to follow the word in a message.
[[nodiscard]] std::string suggestion(std::string_view given,
                                     std::span<const std::string_view> known);

} // namespace gantry
