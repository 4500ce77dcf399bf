// JSON as the subcommands print it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace gantry::cli {

/// Ends with a newline. Names of files and values of variables may hold any bytes, JSON text may
/// not: what is not UTF-8 becomes U+FFFD.
inline std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace gantry::cli
