#include "link/sanitizers.h"

#include <algorithm>
#include <array>

namespace gantry::link {

bool is_sanitizer_runtime(std::string_view path) {
  constexpr std::string_view kPrefix = "libclang_rt.";
  constexpr auto kInEverySharedObject =
      std::to_array<std::string_view>({"builtins", "profile", "asan_static"});
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with(kPrefix) || !name.ends_with(".a")) {
    return false;
  }
  const std::string_view library = name.substr(kPrefix.size());
  return std::ranges::none_of(kInEverySharedObject,
                              [&](std::string_view other) { return library.starts_with(other); });
}

bool is_sanitizer_symbol(std::string_view name) {
  const std::size_t end = name.find('_', 2);
  if (!name.starts_with("__") || end == std::string_view::npos) {
    return false;
  }
  const std::string_view owner = name.substr(2, end - 2);
  return owner == "sanitizer" || owner.ends_with("san");
}

} // namespace gantry::link
