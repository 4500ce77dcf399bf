// What is said of the search for a tool where the OpenMP runtime, libgomp, does not look for one
// (OpenMP 5.2, sections 21.3.1 and 21.3.3). libomp says so itself; the words are its own.
#pragma once

#include <cstdint>
#include <string>

namespace gantry::abi::ompt {

/// OMP_TOOL, with the case of letters ignored.
enum class ToolSetting : std::uint8_t { kEnabled, kDisabled, kInvalid };
[[nodiscard]] ToolSetting tool_setting();

/// Warns of a value of OMP_TOOL that is none.
void warn_of_tool_setting();

/// Writes lines to where OMP_TOOL_VERBOSE_INIT says: nowhere, stdout, stderr or a file, which is
/// written anew.
void write_start_log(const std::string& lines);

/// OMP_TOOL_VERBOSE_INIT names a file. libomp 22 goes on writing to it in `ompt_libomp_connect`,
/// when it has closed it.
[[nodiscard]] bool start_log_is_file();

} // namespace gantry::abi::ompt
