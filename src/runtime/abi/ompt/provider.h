// Starts a tool in a process whose OpenMP runtime, libgomp, knows nothing of tools, so that it is
// told of devices: the functions of OpenMP 5.2, table 19.1, all of them, as far as they can be
// answered without that runtime. What happens on the host is not told (ompt_set_never).
#pragma once

#include "runtime/abi/ompt/tool.h"

#include <omp-tools.h>

namespace gantry::abi::ompt {

class Provider {
public:
  static Provider& instance();

  /// Starts the tool of the process, whose `start_tool` may be null, or the first of `libraries`,
  /// names separated by colons, that answers. False if none does, or it declines. Once; then false.
  bool start(const char* libraries,
             ompt_start_tool_result_t* (*start_tool)(unsigned version, const char* runtime));
  [[nodiscard]] Host host() const;
  /// Calls the tool's finalize, if it was started here. Once.
  void finish();

private:
  bool try_tool(ompt_start_tool_result_t* (*start_tool)(unsigned, const char*));

  bool has_tried_ = false;
  ompt_start_tool_result_t* result_ = nullptr; ///< of the tool that is at work
};

} // namespace gantry::abi::ompt
