// What a process writes to standard output, device code included, while an object of it lives.
#pragma once

#include <string>

namespace gantry::simt::testing {

class CapturedOutput {
public:
  CapturedOutput();
  ~CapturedOutput();
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;

  /// Ends the capture; what was written since it began.
  [[nodiscard]] std::string finish();

private:
  void restore();

  int file_ = -1;
  int standard_output_ = -1;
};

} // namespace gantry::simt::testing
