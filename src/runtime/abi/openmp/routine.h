// What device routines have in common. A routine that has a value for failure writes one line and
// returns it; one that has none ends the program with that line.
#pragma once

#include "base/result.h"
#include "runtime/core/constructs/memory.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/runtime/early_plugins.h"
#include "runtime/core/runtime/runtime.h"

#include <string_view>

namespace gantry::abi::openmp {

/// A routine at work, by its name. Made in the entry point, whose caller it notes.
class Routine {
public:
  explicit Routine(std::string_view name, const void* caller = __builtin_return_address(0))
      : construct_(name, nullptr, caller) {}

  [[nodiscard]] const core::Construct& construct() const { return construct_; }

  /// The same in a task of its own.
  [[nodiscard]] Routine deferred() const {
    Routine copy = *this;
    copy.construct_.nowait = true;
    return copy;
  }

  /// The device that a device argument names, null for the host.
  [[nodiscard]] Result<core::Device*> device(int number) const {
    return core::Runtime::instance().find(number, construct_);
  }

  /// A pointer argument and the device it belongs to.
  [[nodiscard]] Result<core::Memory> memory(const void* pointer, int number) const {
    return device(number).map([&](core::Device* device) {
      return core::Memory{device, static_cast<std::byte*>(const_cast<void*>(pointer))};
    });
  }

  /// What the routine returns in spite of `error`.
  template <typename T>
  T failed(const Error& error, T value) const {
    core::wait_for_the_end(construct_);
    core::write_error(error, construct_);
    return value;
  }

  [[noreturn]] void end(const Error& error) const { core::fatal(error, construct_); }

private:
  core::Construct construct_;
};

} // namespace gantry::abi::openmp
