// Limits of the system that a message should name, because the error's text does not.
#pragma once

#include <cerrno>
#include <string_view>

namespace gantry {

/// What to do about an error of a system call, as the end of a sentence; empty for most errors.
constexpr std::string_view remedy_for(int error) {
  switch (error) {
  case EMFILE:
    return "; raise the limit of open files (ulimit -n)";
  case EAGAIN:
    return "; raise the limit of processes (ulimit -u)";
  case ENOMEM:
    return "; raise the limit of virtual memory (ulimit -v), if there is one";
  default:
    return "";
  }
}

} // namespace gantry
