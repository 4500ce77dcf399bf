// Starts a tool in a process whose OpenMP runtime, libgomp, knows nothing of tools, so that it is
// told of devices: the functions of OpenMP 5.2, table 19.1, all of them, as far as they can be
// answered without that runtime. What happens on the host is not told (ompt_set_never).
#pragma once

#include "runtime/abi/ompt/tool.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <omp-tools.h>

namespace gantry::abi::ompt {

using StartTool = ompt_start_tool_result_t* (*)(unsigned version, const char* runtime);

/// A library that has a tool; closed with the object.
struct ToolLibrary {
  struct Close {
    void operator()(void* library) const;
  };
  std::unique_ptr<void, Close> handle;
  StartTool start_tool;
};
struct OpenedLibraries {
  std::vector<ToolLibrary> libraries;
  std::string log; ///< lines for write_start_log()
};
/// Those of `names`, separated by colons, that can be opened and have a tool, in that order.
[[nodiscard]] OpenedLibraries open_libraries(std::string_view names);

class Provider {
public:
  static Provider& instance();

  /// Starts the tool of the process, whose `start_tool` may be null, or the first library of
  /// `opened` that answers, which then stays open, and writes the log of that. False if none does,
  /// or it declines. Once; then false.
  bool start(StartTool start_tool, OpenedLibraries opened);
  [[nodiscard]] Host host() const;
  /// Calls the tool's finalize, if it was started here. Once.
  void finish();

private:
  bool try_tool(StartTool start_tool);
  bool try_tools(StartTool start_tool, std::vector<ToolLibrary> libraries);

  bool has_tried_ = false;
  ompt_start_tool_result_t* result_ = nullptr; ///< of the tool that is at work
  void* library_ = nullptr;                    ///< that it came from; stays open
};

} // namespace gantry::abi::ompt
