#include "base/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace gantry {
namespace {

tl::unexpected<Error> cannot_read(const std::filesystem::path& path, int error) {
  return fail("cannot read '{}': {}", path.native(), std::generic_category().message(error));
}

} // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: a FIFO given by mistake is refused below instead of waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return cannot_read(path, errno);
  }
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) {
    const int error = errno;
    ::close(descriptor);
    return cannot_read(path, error);
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return S_ISDIR(status.st_mode)
               ? cannot_read(path, EISDIR)
               : fail("cannot read '{}': it is not a regular file", path.native());
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) { // mmap refuses an empty range
    ::close(descriptor);
    return MappedFile(Bytes());
  }
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  ::close(descriptor);
  if (memory == MAP_FAILED) {
    return cannot_read(path, error);
  }
  return MappedFile(Bytes(static_cast<const std::byte*>(memory), size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

} // namespace gantry
