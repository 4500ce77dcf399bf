// Addresses at which the program is to have nothing, because workers have something there.
#pragma once

#include <cstdint>

namespace gantry::worker {

/// Whether an image may be at [begin, end): what a worker says, whose code can write to what it
/// shares with the program.
[[nodiscard]] bool is_place_of_image(std::uint64_t begin, std::uint64_t end);

/// Lets the program have nothing in [begin, end), where a worker has an image; false if it has
/// something there already. Any thread. Several workers may have the same addresses, those of the
/// other plugins of this folder too.
[[nodiscard]] bool reserve(std::uint64_t begin, std::uint64_t end);

} // namespace gantry::worker
