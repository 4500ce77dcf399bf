// Which bytes of the arena are uninitialised: allocated, and not written since
// (GANTRY_SIMT_CHECK=init). There is one bit for each byte; memory that was never marked counts as
// initialised.
//
// All functions may be called from any thread, at once for different bytes.
#pragma once

#include <cstdint>
#include <memory>

namespace gantry::simt {

class UninitialisedBytes {
public:
  /// For the arena [arena, arena + size); takes memory as it is marked. Null if the address space
  /// is too small.
  [[nodiscard]] static std::unique_ptr<UninitialisedBytes> reserve(std::uint64_t arena,
                                                                   std::uint64_t size);
  ~UninitialisedBytes();
  UninitialisedBytes(const UninitialisedBytes&) = delete;
  UninitialisedBytes& operator=(const UninitialisedBytes&) = delete;

  /// Addresses outside of the arena are left alone.
  void mark_uninitialised(std::uint64_t address, std::uint64_t size) { mark(address, size, true); }
  void mark_written(std::uint64_t address, std::uint64_t size) { mark(address, size, false); }
  /// [to, to + size) is a copy of [from, from + size).
  void copy(std::uint64_t to, std::uint64_t from, std::uint64_t size);
  /// Whether none of the bytes is uninitialised, if that is quickly told.
  [[nodiscard]] bool none_uninitialised(std::uint64_t address, std::uint64_t size) const;
  /// Whether each of `size` > 0 bytes is uninitialised.
  [[nodiscard]] bool all_uninitialised(std::uint64_t address, std::uint64_t size) const;

private:
  UninitialisedBytes(std::uint64_t arena, std::uint64_t size, std::uint8_t* bits)
      : arena_(arena), size_(size), bits_(bits) {}
  void mark(std::uint64_t address, std::uint64_t size, bool uninitialised);
  void set_bits(std::uint64_t byte, std::uint8_t bits, bool uninitialised);
  [[nodiscard]] bool is_uninitialised(std::uint64_t address) const;

  std::uint64_t arena_, size_;
  std::uint8_t* bits_;
};

} // namespace gantry::simt
