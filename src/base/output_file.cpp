#include "base/output_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace gantry {
namespace {

/// Writes everything, or returns the error number.
int write_all(int descriptor, Bytes contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    contents = contents.subspan(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return 0;
}

bool is_regular(int descriptor) {
  struct stat status = {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

} // namespace

Status write_file(const std::filesystem::path& path, Bytes contents) {
  constexpr mode_t kMode = 0666; // what the user's umask leaves of it
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  int error = descriptor < 0 ? errno : 0;
  if (descriptor >= 0) {
    error = write_all(descriptor, contents);
    const bool remove = error != 0 && is_regular(descriptor);
    if (::close(descriptor) != 0 && error == 0) {
      error = errno;
    }
    if (remove) {
      ::unlink(path.c_str());
    }
  }
  if (error != 0) {
    return fail("cannot write '{}': {}", path.native(), std::generic_category().message(error));
  }
  return {};
}

} // namespace gantry
