// Pages of the host.
#pragma once

#include <cstdint>
#include <utility>

namespace gantry::simt {

[[nodiscard]] std::uint64_t page_size();

/// Gives the whole pages of [begin, begin + size) back to the system: they read as zero afterwards.
/// Returns those pages, as offsets from `begin`; none if the first is not below the second.
std::pair<std::uint64_t, std::uint64_t> give_back(std::uint64_t begin, std::uint64_t size);

} // namespace gantry::simt
