#include "plugins/mpi/silence.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace gantry::mpi {

Result<std::uint64_t> read_patience() {
  const char* const text = secure_getenv("GANTRY_MPI_PATIENCE");
  const std::string_view given = text == nullptr ? "" : text;
  if (given.empty()) {
    return 10 * kSecond;
  }
  constexpr std::uint64_t kMost = 1'000'000'000;
  std::uint64_t milliseconds = 0;
  const auto [end, error] =
      std::from_chars(given.data(), given.data() + given.size(), milliseconds);
  if (error != std::errc() || end != given.data() + given.size() || milliseconds > kMost) {
    return fail("GANTRY_MPI_PATIENCE: '{}' is not a number of milliseconds up to {}", given, kMost);
  }
  return milliseconds * kMillisecond;
}

} // namespace gantry::mpi
