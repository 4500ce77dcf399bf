#include "plugins/mpi/silence.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace gantry::mpi {

std::uint64_t patience_of_program() {
  const char* const text = secure_getenv("GANTRY_MPI_PATIENCE");
  std::uint64_t milliseconds = 0;
  const std::string_view given = text == nullptr ? "" : text;
  const auto [end, error] =
      std::from_chars(given.data(), given.data() + given.size(), milliseconds);
  const bool is_good = error == std::errc() && end == given.data() + given.size() && !given.empty();
  return is_good ? milliseconds * kMillisecond : 10 * kSecond;
}

} // namespace gantry::mpi
