// Files without a name, in memory.
#pragma once

#include <cerrno>

#include <sys/mman.h>

namespace gantry::plugins {

/// A descriptor of a new one, or -1 with errno. Mapping its pages is all that the file is for, so
/// it gives up the right to be run as a program where the kernel knows that (Linux 6.3); some
/// systems demand it.
inline int make_memory_file(const char* name) {
  constexpr unsigned kNoExecSeal = 8; // MFD_NOEXEC_SEAL, which the C library's header may not know
  const int descriptor = memfd_create(name, MFD_CLOEXEC | kNoExecSeal);
  return descriptor >= 0 || errno != EINVAL ? descriptor : memfd_create(name, MFD_CLOEXEC);
}

} // namespace gantry::plugins
