#include "captured_output.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

namespace gantry::simt::testing {

CapturedOutput::CapturedOutput() {
  std::fflush(stdout);
  std::array<char, 32> name = {"/tmp/gantry-output-XXXXXX"};
  file_ = mkstemp(name.data());
  if (file_ < 0) {
    throw std::runtime_error("a temporary file cannot be made");
  }
  unlink(name.data());
  standard_output_ = dup(STDOUT_FILENO);
  dup2(file_, STDOUT_FILENO);
}

CapturedOutput::~CapturedOutput() {
  restore();
}

void CapturedOutput::restore() {
  if (standard_output_ >= 0) {
    std::fflush(stdout);
    dup2(standard_output_, STDOUT_FILENO);
    close(standard_output_);
    close(file_);
    standard_output_ = -1;
  }
}

std::string CapturedOutput::finish() {
  std::fflush(stdout);
  std::string text;
  std::array<char, 4096> part = {};
  lseek(file_, 0, SEEK_SET);
  for (ssize_t count = read(file_, part.data(), part.size()); count > 0;
       count = read(file_, part.data(), part.size())) {
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  restore();
  return text;
}

} // namespace gantry::simt::testing
