// Where code and data lie in the file system. Everything libgantry loads at run time is looked up
// relative to itself, never through PATH or the environment.
#pragma once

#include <cstdint>
#include <string>

namespace gantry::core {

/// The folder lib/gantry beside the library that holds this code; empty if it cannot be told. Waits
/// for the dynamic loader's lock, so no lock of ours may be held.
[[nodiscard]] std::string library_folder();

/// The file of the process's executable; "program" if the system does not tell.
[[nodiscard]] std::string executable_path();

/// An executable or shared library in memory.
struct Module {
  std::string path = "program"; ///< its file: what a user calls the program
  std::uintptr_t begin = 0;     ///< the memory that its segments span
  std::uintptr_t end = 0;
  /// Of the address that was looked for: where in the file it is, and where the file says that it
  /// is in memory. 0 if its bytes are not in the file.
  std::uint64_t offset = 0;
  std::uintptr_t address_in_file = 0;
};

/// The module that holds `address`. Does not wait for constructors or destructors of libraries that
/// run meanwhile, so it may be called with a lock held that these wait for.
[[nodiscard]] Module module_of(const void* address);

} // namespace gantry::core
