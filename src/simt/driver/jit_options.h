// The options of loading and linking: two arrays of the program, of which some cells are results.
#pragma once

#include "gantry/cuda_driver.h"

#include <chrono>
#include <string_view>

namespace gantry::simt::driver {

/// The options that mean something here; others are accepted and have no effect. Points into the
/// program's arrays, which must live while results are written.
class JitOptions {
public:
  JitOptions() = default;
  /// CUDA_ERROR_INVALID_VALUE if there are options and no arrays, or a number that is no option.
  [[nodiscard]] static CUresult read(unsigned count, const CUjit_option* options, void** values,
                                     JitOptions& result);

  /// Appends to the logs, as far as they have room; always ends them with NUL, and sets the cell of
  /// the size to the bytes used.
  void write_error(std::string_view text);
  void write_info(std::string_view text);
  void write_time(std::chrono::steady_clock::duration duration);

  [[nodiscard]] bool has_error_log() const { return error_.has_room(); }
  [[nodiscard]] bool verbose() const { return verbose_; }

private:
  struct Log {
    char* buffer = nullptr;
    std::size_t size = 0;
    std::size_t used = 0;
    void** size_cell = nullptr;
    [[nodiscard]] bool has_room() const { return buffer != nullptr && size != 0; }
    void append(std::string_view text);
    void finish();
  };

  Log info_;
  Log error_;
  void** time_cell_ = nullptr;
  bool verbose_ = false;
};

} // namespace gantry::simt::driver
