// A device's memory: a file without a name that both processes have mapped, the worker where the
// device's addresses are, the program elsewhere. Where the worker has it, the program has nothing
// that can be accessed, so that device addresses are no host addresses.
//
// The file is larger than the machine's memory, as addresses cost nothing: pages come into being
// when they are touched, and discard() gives them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tl/expected.hpp>

namespace gantry::worker {

class Arena {
public:
  /// `size` is a multiple of a page, as is `at`, where it begins; 0: where there is room. The error
  /// is a sentence.
  [[nodiscard]] static tl::expected<Arena, std::string> make(std::uint64_t size,
                                                             std::uint64_t at = 0);
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&&) = delete;
  ~Arena();

  /// As the device knows it.
  [[nodiscard]] std::uint64_t begin() const { return device_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// True if [address, address + size) is device memory, of a block or of none.
  [[nodiscard]] bool contains(const void* address, std::uint64_t size) const {
    const std::uint64_t offset = offset_of(address);
    return offset < size_ && size <= size_ - offset;
  }
  [[nodiscard]] std::uint64_t offset_of(const void* address) const {
    return reinterpret_cast<std::uint64_t>(address) - device_;
  }
  /// Where the program finds what the device has at `address`.
  [[nodiscard]] std::byte* in_program(const void* address) const {
    return program_ + offset_of(address);
  }
  [[nodiscard]] std::byte* in_program() const { return program_; }

  /// Gives the pages back to the system; their bytes are zero from then on.
  void discard(std::uint64_t offset, std::uint64_t size) const;

  /// The file. The program closes it as soon as the worker has it.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void close_file();

private:
  Arena(int descriptor, std::byte* program, std::uint64_t device, std::uint64_t size)
      : descriptor_(descriptor), program_(program), device_(device), size_(size) {}

  int descriptor_;
  std::byte* program_;
  std::uint64_t device_;
  std::uint64_t size_;
};

/// A file without a name, not 0, 1 or 2; -1 if there is none to be had.
[[nodiscard]] int make_memory_file(const char* name, std::uint64_t size);

} // namespace gantry::worker
