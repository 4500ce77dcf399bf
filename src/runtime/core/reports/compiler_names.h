// What the core asks about names that compilers have put into programs. The answers are in abi/,
// one CompilerNames each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gantry::core {

/// Constants, which stay for the rest of the process. A function answers nothing for what is not
/// its compiler's.
struct CompilerNames {
  /// "zaxpy.cpp:12" for a Construct::location, or empty if it says that there is none.
  std::optional<std::string> (*position)(std::string_view location);
  /// The function around it, if it says one; else empty.
  std::optional<std::string_view> (*function)(std::string_view location);
  /// "zaxpy.cpp:14" for the list item of a MapItem::name, or empty if it says that there is none.
  std::optional<std::string> (*item_position)(std::string_view map_name);
  /// The variable or expression in a MapItem::name, or empty if it says that there is none.
  std::optional<std::string_view> (*variable)(std::string_view map_name);
  /// "the region of 'main' at line 12" for a kernel's name in an image and, if it is known, the
  /// host address that stands for it. May look symbols up, so no lock may be held.
  std::optional<std::string> (*region_of_kernel)(std::string_view kernel, const void* host_address);
  /// What the source calls the function or variable of a symbol.
  std::optional<std::string> (*name_in_source)(std::string_view symbol);
};

/// From now on the functions below ask `compiler`, if they did not before. Any thread, in
/// constructors of libraries too.
void know_compiler(const CompilerNames& compiler);

// What the first compiler answers that knows the string; the string itself if none does, and
// nothing for null.

/// Of a Construct::location: "zaxpy.cpp:12", or empty for a program without debug information.
[[nodiscard]] std::string position(const char* location);
/// Of a Construct::location: "main", or empty if the program does not say it.
[[nodiscard]] std::string_view function_name(const char* location);
/// Of a MapItem::name: "zaxpy.cpp:14", or empty if the program does not say it.
[[nodiscard]] std::string item_position(const char* map_name);
/// Of a MapItem::name: "Y[0:N]", or empty if the program does not say it.
[[nodiscard]] std::string_view variable_name(const char* map_name);
[[nodiscard]] std::string name_in_source(std::string_view symbol);
/// "a region" if no compiler knows it.
[[nodiscard]] std::string region_of_kernel(std::string_view kernel, const void* host_address);

} // namespace gantry::core
