#include "runtime/abi/ompt/start_log.h"

#include "runtime/core/reports/diagnostics.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <strings.h>

namespace gantry::abi::ompt {

namespace {

/// Empty if the variable is not set; set-uid programs have none.
const char* value_of(const char* variable) {
  const char* const value = secure_getenv(variable);
  return value == nullptr ? "" : value;
}

bool is_word(const char* value, const char* word) {
  return strcasecmp(value, word) == 0;
}

enum class Place : std::uint8_t { kNowhere, kStdout, kStderr, kFile };

const char* place_of_log() {
  return value_of("OMP_TOOL_VERBOSE_INIT");
}

Place kind_of(const char* place) {
  if (*place == '\0' || is_word(place, "disabled")) {
    return Place::kNowhere;
  }
  return is_word(place, "stdout")   ? Place::kStdout
         : is_word(place, "stderr") ? Place::kStderr
                                    : Place::kFile;
}

} // namespace

ToolSetting tool_setting() {
  const char* const value = value_of("OMP_TOOL");
  if (*value == '\0' || is_word(value, "enabled")) {
    return ToolSetting::kEnabled;
  }
  return is_word(value, "disabled") ? ToolSetting::kDisabled : ToolSetting::kInvalid;
}

void warn_of_tool_setting() {
  core::write_warning(fmt::format("OMP_TOOL: '{}' is not one of enabled, disabled; no tool is "
                                  "looked for",
                                  value_of("OMP_TOOL")));
}

void write_start_log(const std::string& lines) {
  const char* const place = place_of_log();
  const Place kind = kind_of(place);
  if (kind == Place::kNowhere) {
    return;
  }
  const std::string text = "----- START LOGGING OF TOOL REGISTRATION -----\n" + lines +
                           "----- END LOGGING OF TOOL REGISTRATION -----\n";
  if (kind != Place::kFile) {
    std::FILE* const stream = kind == Place::kStdout ? stdout : stderr;
    std::fputs(text.c_str(), stream);
    std::fflush(stream);
    return;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(place, "we"), std::fclose);
  if (file == nullptr || std::fputs(text.c_str(), file.get()) < 0 || std::fflush(file.get()) != 0) {
    core::write_warning(fmt::format("OMP_TOOL_VERBOSE_INIT: '{}' cannot be written: {}", place,
                                    std::strerror(errno)));
  }
}

bool start_log_is_file() {
  return kind_of(place_of_log()) == Place::kFile;
}

} // namespace gantry::abi::ompt
