// Formats as C's printf has them, with arguments that do not come as a C++ function's do: those of
// device code.
//
// Conversions are C's d i o u x X c s p e E f F g G a A and %%, with flags, width, precision
// (either may be *) and the lengths hh h l ll j z t L. A conversion that is none of these is
// printed as it is and takes no argument; %n prints nothing and takes none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry {

/// The arguments of a format, in order.
class PrintfArguments {
public:
  PrintfArguments() = default;
  PrintfArguments(const PrintfArguments&) = delete;
  PrintfArguments& operator=(const PrintfArguments&) = delete;

  /// The bits of the next argument, of 4 or 8 bytes: an int or what is promoted to it, or a long, a
  /// pointer or a double. 0 if it cannot be had.
  virtual std::uint64_t take(std::size_t size) = 0;
  /// The next argument, a string: up to its NUL or `limit` bytes.
  virtual std::string take_string(std::size_t limit) = 0;
  /// False if an argument could not be had.
  [[nodiscard]] virtual bool good() const = 0;

protected:
  ~PrintfArguments() = default;
};

/// Appends what printf makes of the format. Where an argument cannot be had it ends, and false is
/// returned.
bool append_printf(std::string& text, std::string_view format, PrintfArguments& arguments);

} // namespace gantry
